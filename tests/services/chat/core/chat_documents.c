/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents of the chat core, without a dialect: a document with every member is read and dumped as
 * it was, one with few gets what is usual, and one that is wrong is refused with the place and the
 * reason. Once for each of two vendors.
 */
#include "engine/json/doc.h"
#include "engine/world/engine.h"
#include "tests/services/chat/core/chat_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

/* A document as it is written here: ' for ", $ for the letter of the vendor's keys. */
static const char *written(const char *text)
{
    char *doc = arena_strdup(tx.arena, text);
    for (char *p = doc; *p; p++)
        *p = *p == '\'' ? '"' : *p == '$' ? *vendor->letters[0] : *p;
    return doc;
}

#define WORLD                                                                                      \
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','seed':7,"                                           \
    "'organizations':[{'domain':'acme.example','name':'Acme'}],"                                   \
    "'people':[{'handle':'aa','kind':'bot','name':'Aa'},{'handle':'bb','kind':'app','name':'Bb'}," \
    "{'email':'ada.c@acme.example','name':'"                                                       \
    "Ada Conti','zone':'Europe/Rome'},"                                                            \
    "{'email':'bob@acme.example','name':'Bob','zone':'UTC','locale':'en-GB'},"                     \
    "{'email':'eve@acme.example','name':'Eve'},{'email':'x+y_z-1@acme.example','name':'X'}],"

/* A dump without whitespace between its members. */
static const char *squeezed(struct arena *a, const char *dump)
{
    char *text = arena_strdup(a, dump), *to = text;
    for (const char *p = text; *p; p++) {
        *to++ = *p;
        if (*p == '\n') {
            to--;
            p += strspn(p, "\n ") - 1;
        } else if (p[0] == '"' && p[1] == ':' && p[2] == ' ') {
            *to++ = ':';
            p += 2;
        }
    }
    *to = 0;
    return text;
}

/* What a world of the document has from its workspaces on. */
static const char *dumped(const char *sections)
{
    const char *doc = written(arena_printf(tx.arena, WORLD "%s}", sections));
    uint64_t world = test_world_of(doc);
    struct sosia_blob blob;
    ok(sosia_world_dump(test_engine, world, &blob, &fault));
    const char *from = strstr(blob.data, "\"workspaces\"");
    const char *dump = squeezed(tx.arena, from ? from : "");
    sosia_blob_free(&blob);
    ok(sosia_world_drop(test_engine, world, &fault));
    return dump;
}

/* Every member, as dumps write them. */
static const char FULL[] =
    "'workspaces':[{'id':'$WS_1','domain':'acme-1','name':'Acme',"
    "'email_domain':'acme.example','plan':'plus','created':1700000000,"
    "'settings':{'a':[1]},'members':[{'actor':'ada.c@acme.example','id':'$U1',"
    "'name':'ada','real_name':'Ada C','display_name':'A','title':'Boss','phone':'1',"
    "'email':'ada@other.example','pronouns':'she','zone':'Asia/Tokyo','locale':'it-IT',"
    "'role':'owner','status':{'text':'out','emoji':':x:','expires':1800000000},"
    "'presence':'away','color':'111111','active':false,'fields':{'f':1},'photo':'aGk=',"
    "'updated':1700000001},{'actor':'bob@acme.example','id':'$U2','name':'bob',"
    "'real_name':'Bob','email':'bob@acme.example','zone':'UTC','locale':'en-GB',"
    "'role':'guest','color':'5b89d5','active':true,'deleted':true,'updated':1700000000},"
    "{'actor':'eve@acme.example','id':'$U3','name':'eve','real_name':'Eve',"
    "'email':'eve@acme.example','zone':'UTC','locale':'en-US','color':'684b6c',"
    "'active':true,'updated':1700000000}]},{'id':'$WS_2','domain':'far','name':'far',"
    "'vendor':'first','created':1699920000,'members':[{'actor':'bob@acme.example','id':'$U4','name'"
    ":'bob',"
    "'real_name':'Bob','email':'bob@acme.example','zone':'UTC','locale':'en-GB',"
    "'color':'5b89d5','active':true,'updated':1699920000}]}],"
    "'channels':[{'workspace':'$WS_1','id':'$C1','name':'general','topic':{'text':'T',"
    "'by':'$U1','set':1700000004},'purpose':{'text':'P','by':'$U1','set':1700000002},"
    "'creator':'$U1','created':1700000002,'general':true,'posting':'read_only',"
    "'previous_names':['old'],'properties':{'p':1},'updated_us':1700000003000001,"
    "'members':[{'user':'$U1','read':'1700000005.000006','joined':1795420800},"
    "{'user':'$U3','read':'1700000005.000006','joined':1795420800}]},"
    "{'workspace':'$WS_1','id':'$C2','kind':'private','name':'closed',"
    "'created':1700000000,'archived':true,'updated_us':1700000000000000,"
    "'members':[{'user':'$U3','joined':1700000000},{'user':'$U1',"
    "'read':'1700000007.000000','open':false,'joined':1700000008}]},{'workspace':'$WS_1',"
    "'id':'$C3','kind':'direct','created':1700000000,'updated_us':1700000000000000,"
    "'members':[{'user':'$U1','joined':1700000000},{'user':'$U3','joined':1700000000}]},"
    "{'workspace':'$WS_1','id':'$C4','kind':'group','created':1700000000,"
    "'updated_us':1700000000000000,'members':[{'user':'$U1','joined':1700000000},"
    "{'user':'$U2','joined':1700000000},{'user':'$U3','joined':1700000000}]}],"
    "'sharedChannels':[{'workspace':'$WS_1','channel':'$C2','with':'$WS_2',"
    "'limited':true,'since':1700000009,'members':['$U4']}],"
    "'messages':[{'workspace':'$WS_1','channel':'$C1','ts':'1700000010.000001',"
    "'from':'$U2','subtype':'note','text':'hello','blocks':[1],'attachments':[2],"
    "'metadata':{'m':1},'extra':{'e':1},'client':'c1','format':'tags','subject':'S',"
    "'importance':'high','edited':'1700000011.000000','files':['F1'],"
    "'pinned_at':1700000012,'editor':'$U1','reactions':[{'name':'eyes','by':['$U1',"
    "'$U3'],'at':[1700000013,1700000014]},{'name':'wave','by':['$U2']}],'pinned':'$U3'},"
    "{'workspace':'$WS_1','channel':'$C1','ts':'1700006401.000000',"
    "'thread':'1700000010.000001','from':'$U3','text':'re','flags':5},"
    "{'workspace':'$WS_1','channel':'$C1','ts':'1700010060.000000',"
    "'thread':'1700000010.000001','from':'$U1','text':'re2'},{'workspace':'$WS_1',"
    "'channel':'$C3','ts':'1699974000.000000','from':'$U1','text':'x','flags':64}]";

static void a_document_with_every_member_is_dumped_as_it_was(void **state)
{
    const char *doc = arena_printf(tx.arena, "%s}", written(FULL));
    (void)state;
    assert_string_equal(dumped(FULL), doc);
}

/* What the dump of a document has, and what it has not. */
static void has(const char *sections, const char *const *pieces, const char *const * not )
{
    const char *dump = dumped(sections);
    for (; *pieces; pieces++)
        if (!strstr(dump, written(*pieces)))
            fail_msg("%s is not in %s", written(*pieces), dump);
    for (; not &&*not ; not ++)
        if (strstr(dump, written(*not )))
            fail_msg("%s is in %s", written(*not ), dump);
}
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void without_a_list_everybody_is_in_and_the_first_person_owns_it(void **state)
{
    (void)state;
    has("'workspaces':[{'domain':'acme'}]",
        LIST("'domain':'acme','name':'acme','created':1795420800,'members'",
             "'name':'ada.c','real_name':'Ada Conti','email':'ada.c@acme.example',"
             "'zone':'Europe/Rome','locale':'en-US','role':'owner','color'",
             "'name':'bob','real_name':'Bob','email':'bob@acme.example','zone':'UTC',"
             "'locale':'en-GB','color'",
             "'name':'eve'", "'actor':'bb'", "'name':'xy_z-1','real_name':'X'", "'active':false"),
        LIST("'plan'", "'settings'", "'vendor'", "'email_domain'", "'presence'", "'deleted'"));
}

/* A workspace of three: an owner in another zone, a member and a guest. */
#define PEOPLE_AND(more)                                                                           \
    "'workspaces':[{'domain':'acme','members':[{'actor':'ada.c@acme.example','zone':'Asia/Tokyo'," \
    "'role':'owner'},{'actor':'bob@acme.example'},{'actor':'eve@acme.example','role':'guest'}]}]"  \
    "," more

static void a_general_channel_has_all_but_guests(void **state)
{
    (void)state;
    has(PEOPLE_AND("'channels':[{'id':'$C1','name':'all','general':true,'read':'2026-11-22'},"
                   "{'id':'$C2','name':'few'},{'id':'$C3','name':'some','general':true,"
                   "'members':['eve']}]"),
        LIST("'id':'$C1','name':'all','created':1795420800,'general':true,"
             "'updated_us':1795420800000000,'members':[{'user'",
             "'read':'1795305600.000000'",
             "'name':'few','created':1795420800,"
             "'updated_us':1795420800000000,'members':[]"),
        NULL);
}

static void times_are_read_in_the_authors_zone(void **state)
{
    (void)state;
    has(PEOPLE_AND("'channels':[{'id':'$C1','name':'all','created':'2020-01-01T00:00:01.5Z',"
                   "'members':[{'user':'bob','read':'2026-11-22T00:00','joined':77}]}],"
                   "'messages':[{'channel':'all','from':'ada.c','text':'a','at':'2026-11-20'},"
                   "{'channel':'all','from':'ada.c','text':'b','at':'2026-11-20T09:00'},"
                   "{'channel':'all','from':'bob','text':'c','at':'2026-11-20T00:00:03.25'},"
                   "{'channel':'all','from':'bob','text':'d','at':'2026-11-20T02:00:04+01:00'},"
                   "{'channel':'all','text':'e','at':'2026-11-20T09:00:05','subtype':'x',"
                   "'flags':0}]"),
        LIST("'created':1577836801,'updated_us':1577836801000000",
             "'read':'1795305600.000000','joined':77", "'ts':'1795100400.000000'",
             "'ts':'1795132800.000000'", "'ts':'1795132803.250000'", "'ts':'1795136404.000000'",
             "'ts':'1795165205.000000','subtype':'x','text':'e','flags':0"),
        NULL);
}

static void a_thread_is_a_list_or_a_time(void **state)
{
    (void)state;
    has(PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],"
                   "'messages':[{'channel':'all','from':'bob','text':'a','ts':'1700000000.000001',"
                   "'reactions':[{'name':'x','by':['bob'],'at':[1700000000]},"
                   "{'name':'y','by':['bob','eve'],'at':[1700000000,1700000001]}],"
                   "'replies':[{'from':'bob','text':'b','broadcast':true,'ts':'1700000001'},"
                   "{'from':'eve','text':'c','ts':'1700000002','blocks':[]}]},"
                   "{'channel':'all','from':'bob','text':'d','thread':'1700000000.000001',"
                   "'ts':'1700000003','pinned':'bob','edited':'1700000004'}]"),
        LIST("'reactions':[{'name':'x','by':['", "']},{'name':'y'", "'at':[1700000000,1700000001]",
             "'ts':'1700000001.000000','thread':'1700000000.000001'",
             "'ts':'1700000002.000000','thread':'1700000000.000001'",
             "'ts':'1700000003.000000','thread':'1700000000.000001'",
             "'edited':'1700000004.000000','pinned_at':1700000003,'pinned'", "'flags':5"),
        LIST("'at':[1700000000]}"));
}

/* Who is in it, up to where it is read, and what it is about: the bounds of each. */
static void bounds_of_documents_are_taken(void **state)
{
    (void)state;
    has(PEOPLE_AND("'channels':[{'id':'$C1','name':'all','topic':'T','purpose':{'text':'','set':1},"
                   "'creator':'bob','created':8589934591,'members':[{'user':'bob','read':"
                   "'8589934591'},{'user':'eve','read':'0.0','role':'guest'}]},"
                   "{'id':'$C2','name':'two','topic':{'text':'','by':'eve','set':5},"
                   "'updated_us':0},{'id':'$C3','kind':'group','members':['bob','bob','eve']}],"
                   "'messages':[{'channel':'all','ts':'8589934591','from':'bob','text':'a',"
                   "'edited':'8589934591','flags':127,'pinned':'bob','pinned_at':8589934591,"
                   "'reactions':[{'name':'x','by':['bob'],'at':[0]},"
                   "{'name':'y','by':['bob'],'at':[8589934591]}]},"
                   "{'channel':'all','ts':'0.000001','text':'','flags':0}]"),
        LIST("'topic':{'text':'T','by':'", "','set':8589934591}",
             "'purpose':{'text':'','set':1},'creator'", "'read':'8589934591.000000'",
             "'role':'guest'", "'id':'$C2','name':'two','topic':{'text':'','by':'", "'set':5}",
             "'updated_us':0,'members':[]", "'ts':'8589934591.000000'",
             "'edited':'8589934591.000000'", "'flags':127", "'pinned_at':8589934591",
             "{'name':'x','by':['", "'at':[0]}", "'ts':'0000000000.000001','text':''"),
        NULL);
}

static int seed_messages(const char *list)
{
    const char *doc = written(list);
    const struct section *section = &chat_message_core.sections[0];
    const struct json *v;
    struct doc d;
    ok(doc_open(&d, tx.arena, doc, strlen(doc), "doc", 0, &v, &fault));
    assert_string_equal(section->name, "messages");
    return section->seed(&tx, &d, json_get(v, "messages"));
}

/* Of a document's messages nobody is notified, with other events before them or without. */
static void messages_of_a_document_are_no_events(void **state)
{
    static const char list[] =
        "{'messages':[{'channel':'general','from':'ada','text':'x','pinned':'ada','reactions':[{"
        "'name':'x','by':['bob']}],'replies':[{'from':'ada','text':'y'}]}]}";
    struct chat_message m;
    (void)state;
    struct world_event *events = tx.events, *last = tx.last_event;
    assert_non_null(last);
    ok(seed_messages(list));
    assert_ptr_equal(tx.events, events);
    assert_ptr_equal(tx.last_event, last);
    assert_null(last->next);
    assert_int_equal(chat_message_find(&tx, general.id, tx.now_us, &m), 1);
    assert_string_equal(m.text, "x");
    assert_int_equal(m.replies, 1);
    assert_int_equal(m.pinned_by, ada.id);
    ok(events_deliver(&tx));
    assert_null(tx.events);
    ok(seed_messages(list));
    assert_true(!tx.events && !tx.last_event);
    ok(seed_messages("{'messages':[]}"));
    ok(seed_messages("{}"));
    assert_int_equal(seed_messages("{'messages':{}}"), -1);
    fault = (struct sosia_err){0};
    post("what comes behind it is as before");
}

static void lists_of_a_document_may_be_empty(void **state)
{
    (void)state;
    has("'workspaces':[{'domain':'acme','members':[]}],'channels':[{'id':'$C1','name':'all',"
        "'general':true}],'sharedChannels':[],'messages':[]",
        LIST("'domain':'acme','name':'acme','created':1795420800,'members':[]}]",
             "'general':true,'updated_us':1795420800000000,'members':[]}]"),
        LIST("'messages':[{", "'sharedChannels':[{"));
}

/* ---- refusals ---- */

static const struct {
    const char *sections, *text;
} WRONG[] = {
    {"'workspaces':[{}]", "workspaces[0].domain: is missing"},
    {"'workspaces':[{'domain':'A'}]",
     "workspaces[0].domain: 'A' has other characters than small letters, digits and hyphens"},
    {"'workspaces':[{'domain':''}]", "workspaces[0].domain: must not be empty"},
    {"'workspaces':[{'domain':'a','other':1}]", "workspaces[0].other: there is no such field"},
    {"'workspaces':[{'domain':'a','id':'X1'}]",
     "workspaces[0].id: 'X1' is not an id of capitals, digits and _ that begins with one of $"},
    {"'workspaces':[{'domain':'a','id':'$'}]",
     "workspaces[0].id: '$' is not an id of capitals, digits and _ that begins with one of $"},
    {"'workspaces':[{'domain':'a','id':'$a'}]",
     "workspaces[0].id: '$a' is not an id of capitals, digits and _ that begins with one of $"},
    {"'workspaces':[{'domain':'a','id':'$123456789012345678901234567890123456789X'}]",
     "workspaces[0].id: '$123456789012345678901234567890123456789X' is not an id of capitals, "
     "digits and _ that begins with one of $"},
    {"'workspaces':[{'domain':'a','vendor':'none'}]",
     "workspaces[0].vendor: 'none' is not a vendor of chat"},
    {"'workspaces':[{'domain':'a','plan':'x'}]",
     "workspaces[0].plan: 'x' is none of free, standard, plus"},
    {"'workspaces':[{'domain':'a','created':-1}]",
     "workspaces[0].created: must be a whole number from 0 to 8589934591, not -1"},
    {"'workspaces':[{'domain':'a','created':'x'}]",
     "workspaces[0].created: 'x' is not a time such as 2026-11-23T10:00"},
    {"'workspaces':[{'domain':'a','created':8589934592}]",
     "workspaces[0].created: must be a whole number from 0 to 8589934591, not 8589934592"},
    {"'workspaces':[{'domain':'a','settings':[]}]",
     "workspaces[0].settings: must be an object, not"},
    {"'workspaces':[{'domain':'a','name':1}]", "workspaces[0].name: must be a text, not 1"},
    {"'workspaces':[{'domain':'a'},{'domain':'a'}]",
     "workspaces[1].domain: 'a' is there already: workspaces[0].domain in line 1"},
    {"'workspaces':[{'domain':'a','id':'$1'},{'domain':'b','id':'$1'}]",
     "workspaces[1].id: '$1' is there already: workspaces[0].id in line 1"},
    {"'workspaces':[{'domain':'a','members':[{}]}]", "workspaces[0].members[0].actor: is missing"},
    {"'workspaces':[{'domain':'a','members':[{'actor':'x'}]}]",
     "workspaces[0].members[0].actor: there is nobody 'x'"},
    {"'workspaces':[{'domain':'a','members':[{'actor':'bob@acme.example'},{'actor':'bob@acme."
     "example'}]}]",
     "workspaces[0].members[1].actor: 'bob@acme.example' is there already: "
     "workspaces[0].members[0].actor in line 1"},
    {"'workspaces':[{'domain':'a','members':[{'actor':'bob@acme.example','id':'$1'},{'actor':'eve@"
     "acme.example','id':'$1'}]}]",
     "workspaces[0].members[1].id: '$1' is there already: workspaces[0].members[0].id in line 1"},
    {"'workspaces':[{'domain':'a','members':[{'actor':'bob@acme.example','id':'X1'}]}]",
     "workspaces[0].members[0].id: 'X1' is not an id of capitals, digits and _ that begins with "
     "one of $"},
    {"'workspaces':[{'domain':'a','members':[{'actor':'bob@acme.example','zone':'x'}]}]",
     "workspaces[0].members[0].zone: unknown time zone 'x'"},
    {"'workspaces':[{'domain':'a','members':[{'actor':'bob@acme.example','role':'x'}]}]",
     "workspaces[0].members[0].role: 'x' is none of owner, coowner, admin, member, guest, "
     "channel_guest"},
    {"'workspaces':[{'domain':'a','members':[{'actor':'bob@acme.example','presence':'x'}]}]",
     "workspaces[0].members[0].presence: 'x' is none of auto, away"},
    {"'workspaces':[{'domain':'a','members':[{'actor':'bob@acme.example','fields':[]}]}]",
     "workspaces[0].members[0].fields: must be an object, not"},
    {"'workspaces':[{'domain':'a','members':[{'actor':'bob@acme.example','photo':'?'}]}]",
     "workspaces[0].members[0].photo: is not base64"},
    {"'workspaces':[{'domain':'a','members':[{'actor':'bob@acme.example','photo':''}]}]",
     "workspaces[0].members[0].photo: is not base64"},
    {"'workspaces':[{'domain':'a','members':[{'actor':'bob@acme.example','status':{'x':1}}]}]",
     "workspaces[0].members[0].status.x: there is no such field"},
    {"'workspaces':[{'domain':'a','members':[{'actor':'bob@acme.example','status':{'expires':'2300-"
     "01-01'}}]}]",
     "workspaces[0].members[0].status.expires: expected a time between 1970 and 2242"},
    {"'workspaces':[{'domain':'a','members':[{'actor':'bob@acme.example','updated':'1969-01-01'}]}"
     "]",
     "workspaces[0].members[0].updated: expected a time between 1970 and 2242"},
    {"'workspaces':[],'channels':[{'name':'x'}]",
     "channels[0]: there is no workspace in the document"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','workspace':'x'}]"),
     "channels[0].workspace: there is no workspace 'x'"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','x':1}]"),
     "channels[0].x: there is no such field"},
    {PEOPLE_AND("'channels':[{'id':'X1','name':'x'}]"),
     "channels[0].id: 'X1' is not an id of capitals, digits and _ that begins with one of $"},
    {PEOPLE_AND("'channels':[{}]"), "channels[0].name: is missing"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','kind':'x'}]"),
     "channels[0].kind: 'x' is none of public, private, direct, group"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','creator':'x'}]"),
     "channels[0].creator: there is nobody 'x' in the workspace"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','posting':'x'}]"),
     "channels[0].posting: 'x' is none of all, read_only, thread_only, no_threads"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','previous_names':{}}]"),
     "channels[0].previous_names: must be a list, not"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','properties':[]}]"),
     "channels[0].properties: must be an object, not"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','created':'2300-01-01'}]"),
     "channels[0].created: expected a time between 1970 and 2242"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','updated_us':8589934592000000}]"),
     "channels[0].updated_us: must be a whole number from 0 to 8589934591000000, not "
     "8589934592000000"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','topic':{'x':1}}]"),
     "channels[0].topic.x: there is no such field"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','topic':{}}]"),
     "channels[0].topic.text: is missing"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','purpose':{'text':'x','by':'x'}}]"),
     "channels[0].purpose.by: there is nobody 'x' in the workspace"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','members':['x']}]"),
     "channels[0].members[0]: there is nobody 'x' in the workspace"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','members':[{'user':'bob','read':'x'}]}]"),
     "channels[0].members[0].read: 'x' is not a time such as 2026-11-23T10:00"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all','members':[{'user':'bob','read':'2300-01-01'}]}]"),
     "channels[0].members[0].read: expected a time between 1970 and 2242"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all','members':[{'user':'bob','read':'8589934592'}]}]"),
     "channels[0].members[0].read: expected a time between 1970 and 2242"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','members':[{'x':1}]}]"),
     "channels[0].members[0].x: there is no such field"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all','read':'1969-12-31'}]"),
     "channels[0].read: expected a time between 1970 and 2242"},
    {PEOPLE_AND("'channels':[{'name':'x'},{'name':'x'}]"),
     "channels[1].name: 'x' is there already: channels[0].name in line 1"},
    {PEOPLE_AND("'channels':[{'name':'x','id':'$1'},{'name':'y','id':'$1'}]"),
     "channels[1].id: '$1' is there already: channels[0].id in line 1"},
    {PEOPLE_AND("'channels':[{'kind':'direct'}]"),
     "channels[0].members: a direct channel has one or two members"},
    {PEOPLE_AND("'channels':[{'kind':'direct','members':['bob','eve','ada.c']}]"),
     "channels[0].members: a direct channel has one or two members"},
    {PEOPLE_AND("'channels':[{'kind':'group','members':[1,2,3,4,5,6,7,8,9,10]}]"),
     "channels[0].members: a group"},
    {PEOPLE_AND("'channels':[{'kind':'group','members':[]}]"), "channels[0].members: a group"},
    {PEOPLE_AND("'channels':[{'kind':'group','members':['x']}]"),
     "channels[0].members: there is nobody 'x' in the workspace"},
    {PEOPLE_AND("'channels':[{'kind':'group','members':[1]}]"),
     "channels[0].members: there is nobody '' in the workspace"},
    {PEOPLE_AND(
         "'channels':[{'kind':'group','members':['bob']},{'kind':'group','members':['bob']}]"),
     "channels[1].id: is there already"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','x':1}]"),
     "messages[0].x: there is no such field"},
    {PEOPLE_AND("'messages':[{}]"), "messages[0].channel: is missing"},
    {PEOPLE_AND("'messages':[{'channel':'x'}]"), "messages[0].channel: there is no channel 'x'"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','workspace':'x'}]"),
     "messages[0].workspace: there is no workspace 'x'"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','from':'x'}]"),
     "messages[0].from: there is nobody 'x' in the workspace"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','blocks':{}}]"),
     "messages[0].blocks: must be a list, not"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','attachments':{}}]"),
     "messages[0].attachments: must be a list, not"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','metadata':[]}]"),
     "messages[0].metadata: must be an object, not"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','extra':[]}]"),
     "messages[0].extra: must be an object, not"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','files':{}}]"),
     "messages[0].files: must be a list, not"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','importance':'x'}]"),
     "messages[0].importance: 'x' is none of normal, high, urgent"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','edited':'x'}]"),
     "messages[0].edited: 'x' is not a time of a message"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','edited':'"
                "8589934592'}]"),
     "messages[0].edited: '8589934592' is not a time of a message"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','editor':'x'}]"),
     "messages[0].editor: there is nobody 'x' in the workspace"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','flags':128}]"),
     "messages[0].flags: must be a whole number from 0 to 127, not 128"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','ts':'x'}]"),
     "messages[0].ts: 'x' is not a time of a message"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','ts':'8589934592'}]"),
     "messages[0].ts: expected a time between 1970 and 2242"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','at':'x'}]"),
     "messages[0].at: 'x' is not a time such as 2026-11-23T10:00"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','at':'2300-01-01'}]"),
     "messages[0].at: expected a time between 1970 and 2242"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','at':'1969-12-31'}]"),
     "messages[0].at: expected a time between 1970 and 2242"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','at':'20:00'}]"),
     "messages[0].at: '20:00' is not a time such as 2026-11-23T10:00"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','thread':'1.0'}]"),
     "messages[0].thread: no thread begins at '1.0'"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','thread':'x'}]"),
     "messages[0].thread: no thread begins at 'x'"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','app':'x'}]"),
     "messages[0].app: there is no app 'x'"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','ts':'"
                "1700000001','replies':[{'ts':'1700000000'}]}]"),
     "messages[0].replies[0].ts: an answer comes after what it answers"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','ts':'"
                "1700000001','replies':[{'ts':'1700000002','replies':[]}]}]"),
     "messages[0].replies[0].replies: a reply has no replies"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','ts':'"
                "1700000000','replies':[{'ts':'1700000001'}]},{'channel':'all','ts':'1700000002','"
                "thread':'1700000001'}]"),
     "messages[1].thread: no thread begins at '1700000001'"},
    {PEOPLE_AND(
         "'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','pinned':'x'}]"),
     "messages[0].pinned: there is nobody 'x' in the workspace"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','reactions':[{"
                "'name':'x','by':['x']}]}]"),
     "messages[0].reactions[0].by: there is nobody 'x' in the workspace"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','reactions':[{"
                "'x':1}]}]"),
     "messages[0].reactions[0].x: there is no such field"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','reactions':[{"
                "'by':[]}]}]"),
     "messages[0].reactions[0].name: is missing"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','reactions':[{"
                "'name':'x','by':['bob','eve'],'at':[1]}]}]"),
     "messages[0].reactions[0].at: expected a list with a second for each of 'by'"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','reactions':[{"
                "'name':'x','by':['bob'],'at':1}]}]"),
     "messages[0].reactions[0].at: expected a list with a second for each of 'by'"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','reactions':[{"
                "'name':'x','by':['bob'],'at':[-1]}]}]"),
     "messages[0].reactions[0].at: expected seconds between 0 and 8589934591"},
    {PEOPLE_AND("'channels':[{'id':'$C1','name':'all'}],'messages':[{'channel':'all','reactions':[{"
                "'name':'x','by':['bob'],'at':[8589934592]}]}]"),
     "messages[0].reactions[0].at: expected seconds between 0 and 8589934591"},
    {"'messages':{}", "messages: must be a list"},
    {"'workspaces':[{'domain':'a'},{'domain':'b','members':[{'actor':'bob@acme.example'}]}],'"
     "channels':[{'id':'$C1','name':'all'},{'kind':'group','id':'$C2','members':['bob']}],'"
     "sharedChannels':[{}]",
     "sharedChannels[0].channel: is missing"},
    {"'workspaces':[{'domain':'a'},{'domain':'b','members':[{'actor':'bob@acme.example'}]}],'"
     "channels':[{'id':'$C1','name':'all'},{'kind':'group','id':'$C2','members':['bob']}],'"
     "sharedChannels':[{'channel':'all'}]",
     "sharedChannels[0].with: is missing"},
    {"'workspaces':[{'domain':'a'},{'domain':'b','members':[{'actor':'bob@acme.example'}]}],'"
     "channels':[{'id':'$C1','name':'all'},{'kind':'group','id':'$C2','members':['bob']}],'"
     "sharedChannels':[{'channel':'all','with':'x'}]",
     "sharedChannels[0].with: there is no workspace 'x'"},
    {"'workspaces':[{'domain':'a'},{'domain':'b','members':[{'actor':'bob@acme.example'}]}],'"
     "channels':[{'id':'$C1','name':'all'},{'kind':'group','id':'$C2','members':['bob']}],'"
     "sharedChannels':[{'channel':'all','with':'a'}]",
     "sharedChannels[0].with: expected another workspace, of a public or private channel"},
    {"'workspaces':[{'domain':'a'},{'domain':'b','members':[{'actor':'bob@acme.example'}]}],'"
     "channels':[{'id':'$C1','name':'all'},{'kind':'group','id':'$C2','members':['bob']}],'"
     "sharedChannels':[{'channel':'$C2','with':'b'}]",
     "sharedChannels[0].with: expected another workspace, of a public or private channel"},
    {"'workspaces':[{'domain':'a'},{'domain':'b','members':[{'actor':'bob@acme.example'}]}],'"
     "channels':[{'id':'$C1','name':'all'},{'kind':'group','id':'$C2','members':['bob']}],'"
     "sharedChannels':[{'channel':'all','with':'b','members':['eve']}]",
     "sharedChannels[0].members: there is nobody 'eve' in the workspace"},
    {"'workspaces':[{'domain':'a'},{'domain':'b','members':[{'actor':'bob@acme.example'}]}],'"
     "channels':[{'id':'$C1','name':'all'},{'kind':'group','id':'$C2','members':['bob']}],'"
     "sharedChannels':[{'channel':'all','with':'b','since':'x'}]",
     "sharedChannels[0].since: 'x' is not a time such as 2026-11-23T10:00"},
    {"'workspaces':[{'domain':'a'},{'domain':'b','members':[{'actor':'bob@acme.example'}]}],'"
     "channels':[{'id':'$C1','name':'all'},{'kind':'group','id':'$C2','members':['bob']}],'"
     "sharedChannels':[{'channel':'all','with':'b','limited':1}]",
     "sharedChannels[0].limited: must be true or false, not 1"},
    {"'workspaces':[{'domain':'a'},{'domain':'b','members':[{'actor':'bob@acme.example'}]}],'"
     "channels':[{'id':'$C1','name':'all'},{'kind':'group','id':'$C2','members':['bob']}],'"
     "sharedChannels':[{'channel':'all','with':'b'},{'channel':'all','with':'b'}]",
     "sharedChannels[1].with: 'b' is there already: sharedChannels[0].with in line 1"},
    {"'workspaces':[{'domain':'a'},{'domain':'b','members':[{'actor':'bob@acme.example'}]}],'"
     "channels':[{'id':'$C1','name':'all'},{'kind':'group','id':'$C2','members':['bob']}],'"
     "sharedChannels':[{'x':1}]",
     "sharedChannels[0].x: there is no such field"},
};

/* The message begins as the table says, behind the document's name and line. */
static void a_document_that_is_wrong_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(WRONG); i++) {
        const char *doc = written(arena_printf(tx.arena, WORLD "%s}", WRONG[i].sections));
        const char *text = written(WRONG[i].text);
        uint64_t made;
        struct sosia_err why = {0};
        struct sosia_world_options options = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
        assert_int_equal(sosia_world_create(test_engine, &options, &made, &why), -1);
        const char *got = strstr(why.text, ": ");
        if (!got || strncmp(got + 2, text, strlen(text)) != 0)
            fail_msg("%s\nexpected %s, got %s", WRONG[i].sections, text, why.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(a_document_with_every_member_is_dumped_as_it_was),
        BOTH(without_a_list_everybody_is_in_and_the_first_person_owns_it),
        BOTH(a_general_channel_has_all_but_guests),
        BOTH(times_are_read_in_the_authors_zone),
        BOTH(a_thread_is_a_list_or_a_time),
        BOTH(bounds_of_documents_are_taken),
        BOTH(messages_of_a_document_are_no_events),
        BOTH(lists_of_a_document_may_be_empty),
        BOTH(a_document_that_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
