/* SPDX-License-Identifier: Apache-2.0 */
/* A story of drives, without a dialect, once for each of two vendors: a document with everything
 * that one can say, and documents that are refused. */
#include "tests/services/drive/core/drive_vendors.h"
#include "tests/support/story.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

#define WORLD                                                                                      \
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','seed':7,'people':[{'email':'" ADA                   \
    "'},{'email':'" BOB "'},"                                                                      \
    "{'email':'" EVE "'}],'groups':[{'email':'all@acme.example','members':['" ADA "','" BOB        \
    "']}],"                                                                                        \
    "'apps':[{'client_id':'123.456','name':'App'}],"

static const char FULL[] = WORLD
    "'sharedDrives':[{'id':'dir!1','name':'Eng','creator':'" ADA "','members':[{'person':'" ADA
    "','role':'organizer'},"
    "{'group':'all@acme.example','role':'writer'}],'domainOnly':true,'adminManaged':true,'"
    "copyWriters':true,"
    "'membersOnly':true,'request':'r1','created':'2026-01-01T00:00:00Z'}],"
    "'files':[{'id':'dir!2','name':'Plans','type':'folder','owner':'" ADA
    "','color':'#ff0000','permissions':["
    "{'person':'" BOB "','role':'writer'},{'person':'" EVE
    "','role':'reader','expires':'2027-01-01T00:00:00Z'},"
    "{'anyone':true,'role':'reader'},{'domain':'acme.example','role':'commenter','found':true}]},"
    "{'id':'doc!3','name':'plan.csv','mime':'text/csv','owner':'" ADA
    "','parent':'dir!2','content':'a,b\\n1,2\\n',"
    "'created':'2026-11-01T10:00:00Z','modified':'2026-11-20T17:00:00Z','modifiedBy':'" BOB
    "','description':'D',"
    "'original':'p.csv','extension':'csv','copyLimit':true,'sharing':false,'abusive':true,'keep':"
    "true,"
    "'media':{'width':3,'height':4},'indexText':'words',"
    "'revisions':[{'content':'a,b\\n','modified':'2026-11-01T10:00:00Z','modifiedBy':'" ADA
    "','keep':true}],"
    "'properties':{'site':'north'},'appProperties':{'123.456':{'state':'open'},'':{'x':'y'}},"
    "'people':[{'person':'" BOB "','starred':true,'hidden':true,'viewed':'2026-11-21T09:00:00Z',"
    "'modified':'2026-11-21T08:00:00Z'},{'person':'" EVE
    "','shared':'2026-11-02T09:00:00Z','by':'" ADA "'}],"
    "'comments':[{'id':'c1','author':'" BOB
    "','content':'Q?','quoted':'1,2','quotedMime':'text/csv','anchor':'{}',"
    "'created':'2026-11-21T10:00:00Z','replies':[{'author':'" ADA
    "','content':'Yes','action':'resolve',"
    "'created':'2026-11-21T11:00:00Z'}]},{'author':'" ADA "','created':'2026-11-21T12:00:00Z',"
    "'modified':'2026-11-21T13:00:00Z','deleted':true}]},"
    "{'id':'dir!4','name':'Shut','type':'folder','owner':'" ADA
    "','parent':'dir!2','limited':true,'permissions':["
    "{'person':'" BOB "','role':'none'}]},"
    "{'id':'doc!5','name':'Notes','type':'document','owner':'" ADA
    "','content':'# Notes\\n\\nText.\\n'},"
    "{'id':'doc!6','name':'Numbers','type':'spreadsheet','parent':'dir!1','content':'a,b\\n1,2\\n'}"
    ","
    "{'id':'doc!7','name':'Link','type':'shortcut','owner':'" BOB "','target':'doc!3'},"
    "{'id':'doc!8','name':'Old','base64':'AAEC','owner':'" ADA
    "','trashed':'2026-11-22T08:00:00Z','trashedBy':'" ADA "'},"
    "{'id':'doc!9','name':'In it','mime':'text/plain','owner':'" ADA
    "','parent':'dir!4','content':'x','app':'123.456'},"
    "{'id':'doc!10','name':'Free','owner':'" ADA "','parent':'','content':''},"
    "{'id':'doc!11','name':'data','owner':'" ADA "','space':'123.456','content':'z'}]}";

#define FILES(members) "'files':[{'name':'x','owner':'" ADA "'," members "}]"
static const char *const WRONG[] = {
    "'files':{}",
    "'files':[{}]",
    "'files':[{'name':'x'}]",
    "'files':[{'name':'x','owner':'zed@x.example'}]",
    "'files':[{'name':'','owner':'" ADA "'}]",
    FILES("'x':1"),

    FILES("'type':'folder','mime':'x/y'"),
    FILES("'type':'a/b'"),
    FILES("'type':'folder','content':'x'"),
    FILES("'content':'x','base64':'AA'"),
    FILES("'base64':'?'"),
    FILES("'parent':'none'"),
    FILES("'type':'shortcut'"),

    FILES("'created':'x'"),
    FILES("'modifiedBy':'x'"),
    FILES("'trashed':1"),
    FILES("'permissions':[{}]"),
    FILES("'permissions':[{'person':'x'}]"),
    FILES("'permissions':[{'anyone':true,'person':'" BOB "'}]"),
    FILES("'permissions':[{'person':'" BOB "','role':'x'}]"),
    FILES("'permissions':[{'person':'" ADA "','role':'owner'}]"),
    FILES("'permissions':[{'domain':'@'}]"),
    FILES("'permissions':[{'x':1}]"),

    FILES("'people':[{}]"),
    FILES("'people':[{'person':'x'}]"),
    FILES("'people':[{'person':'" BOB "','x':1}]"),
    FILES("'revisions':[{'x':1}]"),
    FILES("'revisions':[{'modifiedBy':'x'}]"),
    FILES("'properties':[]"),
    FILES("'properties':{'a':1}"),
    FILES("'appProperties':{'x':{}}"),
    FILES("'comments':[{}]"),
    FILES("'comments':[{'author':'x','content':'y'}]"),
    FILES("'comments':[{'author':'" BOB "','content':'y','x':1}]"),
    FILES("'comments':[{'author':'" BOB "','content':'y','replies':[{}]}]"),
    FILES("'comments':[{'author':'" BOB "','content':'y','replies':[{'author':'" BOB
          "','content':'z','action':'x'}]}]"),
    FILES("'media':1"),

    FILES("'space':'none'"),
    FILES("'app':'none'"),
    FILES("'vendor':'none'"),
    FILES("'id':'doc!1'},{'name':'y','owner':'" ADA "','id':'doc!1'"),
    "'sharedDrives':[{}]",
    "'sharedDrives':[{'id':'dir!1'}]",
    "'sharedDrives':[{'id':'dir!1','name':'x','members':[{'person':'zed'}]}]",
    "'sharedDrives':[{'id':'dir!1','name':'x','x':1}]",
    "'sharedDrives':[{'id':'dir!1','name':'x','members':[{'person':'" ADA "','role':'owner'}]}]",
};

static void the_story_of_documents(void **state)
{
    char doc[sizeof FULL];
    (void)state;
    for (size_t i = 0; i < sizeof doc; i++)
        doc[i] = FULL[i] == '\'' ? '"' : FULL[i];
    story_begin();
    uint64_t made = test_world_of(doc);
    story_dump(test_engine, made);
    struct sosia_blob blob;
    ok(sosia_world_dump(test_engine, made, &blob, &fault));
    story_say("== a world of the dump");
    story_dump(test_engine, test_world_of(blob.data));
    sosia_blob_free(&blob);
    for (size_t i = 0; i < SOSIA_LEN(WRONG); i++)
        story_wrong(test_engine, WORLD, WRONG[i]);
    story_end(vendor == &loose ? "drive-loose" : "drive-strict");
}

static int close_world(void **state)
{
    end();
    return test_close_engine(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"the_story_of_documents (loose)", the_story_of_documents, open_world, close_world,
         (void *)(uintptr_t)&loose},
        {"the_story_of_documents (strict)", the_story_of_documents, open_world, close_world,
         (void *)(uintptr_t)&strict},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
