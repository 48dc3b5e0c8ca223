/* SPDX-License-Identifier: Apache-2.0 */
/* Gmail's filters: what programs say of them, and each criterion and action on mail that comes. */
#include "tests/support/gmail.h"
#include "engine/base/buf.h"

#define FILTERS "/settings/filters"

static const char *make(const char *body)
{
    const struct json *v = gm(ADA, "POST", FILTERS, body);
    if (test_status != 200)
        fail_msg("%s: %d %s", body, test_status, test_body);
    return text_at(v, "id");
}

/* Bob writes to Ada: labels of what came, categories left out. */
static const char *arrives(const char *text)
{
    const struct json *m;
    gm_send(BOB, text, "");
    m = gm_get(ADA, 200, "/messages/%s?format=minimal", gm_newest(ADA));
    const char *labels = labels_of(m);
    const char *category = strstr(labels, "CATEGORY_PERSONAL ");
    return category ? gm_text("%.*s%s", (int)(category - labels), labels, category + 18) : labels;
}

#define PLAIN                                                                                      \
    "To: ada@acme.example\nCc: cyd@acme.example\nSubject: Quarterly report\n\nThe blue figures.\n"

/* ---- what programs say ---- */

static void a_filter_is_shown_as_it_was_given(void **state)
{
    (void)state;
    gm_get(ADA, 200, FILTERS);
    assert_answer("{}");
    const char *id = make("{'criteria':{'from':'bob@acme.example','subject':'Report'},"
                          "'action':{'addLabelIds':['STARRED'],'removeLabelIds':['INBOX']}}");
    assert_answer("{'id':'*','criteria':{'from':'bob@acme.example','subject':'Report'},"
                  "'action':{'addLabelIds':['STARRED'],'removeLabelIds':['INBOX']}}");
    assert_int_equal(strlen(id), 38);
    assert_memory_equal(id, "ANe1Bm", 6);
    gm_get(ADA, 200, FILTERS "/%s", id);
    assert_answer(gm_text("{'id':'%s','criteria':{'from':'bob@acme.example','subject':'Report'},"
                          "'action':{'addLabelIds':['STARRED'],'removeLabelIds':['INBOX']}}",
                          id));
    make("{'criteria':{'hasAttachment':true,'excludeChats':true,'size':100,'sizeComparison':"
         "'larger','to':'me','query':'a','negatedQuery':'b'},'action':{'addLabelIds':['TRASH']}}");
    gm_get(ADA, 200, FILTERS);
    assert_answer("{'filter':[{'id':'*','criteria':{'from':'bob@acme.example','subject':'Report'},"
                  "'action':{'addLabelIds':['STARRED'],'removeLabelIds':['INBOX']}},"
                  "{'id':'*','criteria':{'to':'me','query':'a','negatedQuery':'b',"
                  "'hasAttachment':true,'excludeChats':true,'size':100,'sizeComparison':'larger'},"
                  "'action':{'addLabelIds':['TRASH']}}]}");
}

/* One that is accepted and can't be evaluated would stop all mail. */
static void a_filter_too_complex_to_ask_is_refused(void **state)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "{'criteria':{'query':'\\\"a");
    for (int i = 0; i < 300; i++)
        buf_puts(&b, " a");
    buf_puts(&b, "\\\"'},'action':{'addLabelIds':['STARRED']}}");
    gm(ADA, "POST", FILTERS, buf_str(&b));
    buf_done(&b);
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid query");
    assert_string_equal(arrives(PLAIN), "INBOX UNREAD");
}

static void filters_are_deleted_for_good(void **state)
{
    (void)state;
    const char *id = make("{'criteria':{'from':'bob'},'action':{'addLabelIds':['STARRED']}}");
    gm(BOB, "DELETE", gm_text(FILTERS "/%s", id), NULL);
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
    gm(ADA, "DELETE", gm_text(FILTERS "/%s", id), NULL);
    assert_int_equal(test_status, 204);
    gm_get(ADA, 404, FILTERS "/%s", id);
    gm(ADA, "DELETE", gm_text(FILTERS "/%s", id), NULL);
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
    gm_get(ADA, 200, FILTERS);
    assert_answer("{}");
    assert_string_equal(arrives(PLAIN), "INBOX UNREAD");
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const struct {
        const char *body, *message;
    } cases[] = {
        {"{}", "Filter doesn't have any criteria"},
        {"{'criteria':{},'action':{'addLabelIds':['STARRED']}}",
         "Filter doesn't have any criteria"},
        {"{'criteria':{'from':'  ','hasAttachment':false},'action':{'addLabelIds':['STARRED']}}",
         "Filter doesn't have any criteria"},
        {"{'criteria':{'from':'a'}}", "Filter doesn't have any actions"},
        {"{'criteria':{'from':'a'},'action':{}}", "Filter doesn't have any actions"},
        {"{'criteria':{'from':'a'},'action':{'addLabelIds':[]}}",
         "Filter doesn't have any actions"},
        {"{'criteria':{'from':'a'},'action':{'addLabelIds':['Dianne']}}", "Invalid label: Dianne"},
        {"{'criteria':{'from':'a'},'action':{'addLabelIds':['Label_9']}}",
         "Invalid label: Label_9"},
        {"{'criteria':{'from':'a'},'action':{'addLabelIds':['SPAM']}}", "Invalid label: SPAM"},
        {"{'criteria':{'from':'a'},'action':{'addLabelIds':['INBOX']}}", "Invalid label: INBOX"},
        {"{'criteria':{'from':'a'},'action':{'addLabelIds':['UNREAD']}}", "Invalid label: UNREAD"},
        {"{'criteria':{'from':'a'},'action':{'removeLabelIds':['SENT']}}", "Invalid label: SENT"},
        {"{'criteria':{'from':'a'},'action':{'forward':'nonsense'}}", "Invalid forwarding address"},
        {"{'criteria':{'size':5},'action':{'addLabelIds':['STARRED']}}", "Invalid size criteria"},
        {"{'criteria':{'size':-5,'sizeComparison':'larger'},'action':{'addLabelIds':['STARRED']}}",
         "Invalid size criteria"},
        {"{'criteria':{'size':5,'sizeComparison':'unspecified'},"
         "'action':{'addLabelIds':['STARRED']}}",
         "Invalid size criteria"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        gm(ADA, "POST", FILTERS, cases[i].body);
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", cases[i].message);
    }
    gm(ADA, "POST", FILTERS, "{'criteria':{'from':'a'},'action':{'forward':'x@far.example'}}");
    assert_refused(400, "failedPrecondition", "FAILED_PRECONDITION",
                   "Unrecognized forwarding address");
    gm_get(ADA, 200, FILTERS);
    assert_answer("{}");
}

static void one_label_of_the_owners_and_one_category(void **state)
{
    (void)state;
    gm(ADA, "POST", "/labels", "{'name':'one'}");
    gm(ADA, "POST", "/labels", "{'name':'two'}");
    gm(ADA, "POST", FILTERS,
       "{'criteria':{'from':'a'},'action':{'addLabelIds':['Label_1','Label_2']}}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT",
                   "Filter may add at most one user label");
    make("{'criteria':{'from':'a'},'action':{'addLabelIds':['Label_1','CATEGORY_SOCIAL',"
         "'IMPORTANT'],'removeLabelIds':['Label_2','SPAM']}}");
}

static void a_filter_is_there_once(void **state)
{
    static const char body[] = "{'criteria':{'from':'bob'},'action':{'addLabelIds':['STARRED']}}";
    (void)state;
    make(body);
    gm(ADA, "POST", FILTERS, body);
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Filter already exists");
    gm(ADA, "POST", FILTERS,
       "{'action':{'addLabelIds':['STARRED']},'criteria':{'subject':'','from':'bob'}}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Filter already exists");
    make("{'criteria':{'from':'bob'},'action':{'addLabelIds':['IMPORTANT']}}");
    assert_int_equal(count_at(gm_get(ADA, 200, FILTERS), "filter"), 2);
}

static void texts_are_limited(void **state)
{
    (void)state;
    make(gm_text("{'criteria':{'query':'%0*d'},'action':{'addLabelIds':['STARRED']}}", 1500, 1));
    gm(ADA, "POST", FILTERS,
       gm_text("{'criteria':{'query':'%0*d'},'action':{'addLabelIds':['STARRED']}}", 1501, 1));
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "The specified filter is too long");
    gm(ADA, "POST", FILTERS,
       gm_text("{'criteria':{'from':'%0*d','subject':'%0*d'},'action':{'addLabelIds':['STARRED']}}",
               745, 1, 745, 1));
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "The specified filter is too long");
}

static void the_number_of_filters_is_limited(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++)
        make(gm_text("{'criteria':{'from':'a%d'},'action':{'addLabelIds':['STARRED']}}", i));
    gm(ADA, "POST", FILTERS, "{'criteria':{'from':'b'},'action':{'addLabelIds':['STARRED']}}");
    assert_refused(400, "failedPrecondition", "FAILED_PRECONDITION", "Too many filters");
    assert_string_equal(arrives(PLAIN), "INBOX UNREAD");
}

static void at_most_twenty_forward(void **state)
{
    (void)state;
    gm(ADA, "POST", "/settings/forwardingAddresses", "{'forwardingEmail':'cyd@acme.example'}");
    for (int i = 0; i < 20; i++)
        make(gm_text("{'criteria':{'from':'a%d'},'action':{'forward':'cyd@acme.example'}}", i));
    gm(ADA, "POST", FILTERS, "{'criteria':{'from':'b'},'action':{'forward':'cyd@acme.example'}}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Too many forwarding filters");
    make("{'criteria':{'from':'b'},'action':{'addLabelIds':['STARRED']}}");
}

/* ---- criteria ---- */

/* Does a filter with these criteria star the message? */
static bool stars(const char *criteria, const char *text)
{
    const char *id =
        make(gm_text("{'criteria':{%s},'action':{'addLabelIds':['STARRED']}}", criteria));
    const char *labels = arrives(text);
    gm(ADA, "DELETE", gm_text(FILTERS "/%s", id), NULL);
    if (strcmp(labels, "INBOX STARRED UNREAD") == 0)
        return true;
    assert_string_equal(labels, "INBOX UNREAD");
    return false;
}

static void each_criterion_decides(void **state)
{
    static const struct {
        const char *criteria;
        bool stars;
    } cases[] = {
        {"'from':'bob@acme.example'", true},
        {"'from':'BOB'", true},
        {"'from':'@acme.example'", true},
        {"'from':'acme.example'", true},
        {"'from':'bo'", false},
        {"'from':'cyd'", false},
        {"'from':'cyd OR bob'", true},
        {"'from':'{cyd bob}'", true},
        {"'to':'ada@acme.example'", true},
        {"'to':'ada'", true},
        {"'to':'ADA'", true},
        {"'to':'cyd@acme.example'", true},
        {"'to':'bob@acme.example'", false},
        {"'subject':'quarterly'", true},
        {"'subject':'REPORT QUARTERLY'", true},
        {"'subject':'\\\"quarterly report\\\"'", true},
        {"'subject':'\\\"report quarterly\\\"'", false},
        {"'subject':'figures'", false},
        {"'query':'blue figures'", true},
        {"'query':'blue -figures'", false},
        {"'query':'\\\"blue figures\\\"'", true},
        {"'query':'red'", false},
        {"'query':'red OR blue'", true},
        {"'query':'subject:report is:unread'", true},
        {"'query':'in:inbox larger:10K'", false},
        {"'query':'to:me'", true},
        {"'negatedQuery':'red'", true},
        {"'negatedQuery':'blue'", false},
        {"'negatedQuery':'blue red'", false},
        {"'negatedQuery':'from:cyd'", true},
        {"'negatedQuery':'from:bob'", false},
        {"'hasAttachment':true", false},
        {"'excludeChats':true", true},
        {"'size':10,'sizeComparison':'larger'", true},
        {"'size':10,'sizeComparison':'smaller'", false},
        {"'size':100000,'sizeComparison':'smaller'", true},
        {"'size':100000,'sizeComparison':'larger'", false},
        {"'from':'bob','to':'ada','subject':'report','query':'blue','negatedQuery':'red'", true},
        {"'from':'bob','to':'ada','subject':'report','query':'blue','negatedQuery':'the'", false},
        {"'from':'bob','subject':'other'", false},
        {"'from':'a)'", false},
        {"'query':'((('", true},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        if (stars(cases[i].criteria, PLAIN) != cases[i].stars)
            fail_msg("%s", cases[i].criteria);
}

static void attachments_are_seen(void **state)
{
    static const char text[] =
        "To: ada@acme.example\nSubject: s\nMIME-Version: 1.0\n"
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHi\n--b\n"
        "Content-Type: text/csv; name=plan.csv\nContent-Disposition: attachment\n\na,b\n--b--\n";
    (void)state;
    assert_true(stars("'hasAttachment':true", text));
    assert_true(stars("'query':'filename:plan.csv'", text));
    assert_false(stars("'query':'filename:other.csv'", text));
}

static void lists_are_seen(void **state)
{
    static const char text[] = "To: ada@acme.example\nSubject: s\nList-ID: <dev.lists.example>\n\n"
                               "Hi\n";
    (void)state;
    make("{'criteria':{'query':'list:dev.lists.example'},'action':{'addLabelIds':['STARRED'],"
         "'removeLabelIds':['INBOX']}}");
    assert_string_equal(arrives(text), "CATEGORY_FORUMS STARRED UNREAD");
}

/* A label keeps its meaning when it gets another name. */
static void questions_about_labels_name_them_for_good(void **state)
{
    (void)state;
    gm(ADA, "POST", "/labels", "{'name':'Plans'}");
    make("{'criteria':{'from':'bob'},'action':{'addLabelIds':['Label_1']}}");
    gm(ADA, "PATCH", "/labels/Label_1", "{'name':'Other'}");
    assert_string_equal(arrives(PLAIN), "INBOX Label_1 UNREAD");
    gm(ADA, "DELETE", "/labels/Label_1", NULL);
    assert_int_equal(test_status, 204);
    assert_string_equal(arrives(PLAIN), "INBOX UNREAD");
}

/* ---- actions ---- */

static void each_action_acts(void **state)
{
    static const struct {
        const char *action, *labels;
    } cases[] = {
        {"'removeLabelIds':['INBOX']", "UNREAD"},
        {"'removeLabelIds':['UNREAD']", "INBOX"},
        {"'removeLabelIds':['INBOX','UNREAD']", ""},
        {"'addLabelIds':['TRASH']", "TRASH UNREAD"},
        {"'addLabelIds':['STARRED']", "INBOX STARRED UNREAD"},
        {"'addLabelIds':['IMPORTANT']", "IMPORTANT INBOX UNREAD"},
        {"'removeLabelIds':['IMPORTANT']", "INBOX UNREAD"},
        {"'removeLabelIds':['SPAM']", "INBOX UNREAD"},
        {"'addLabelIds':['CATEGORY_SOCIAL']", "CATEGORY_SOCIAL INBOX UNREAD"},
        {"'addLabelIds':['Label_1']", "INBOX Label_1 UNREAD"},
        {"'addLabelIds':['Label_1'],'removeLabelIds':['INBOX','UNREAD']", "Label_1"},
    };
    (void)state;
    gm(ADA, "POST", "/labels", "{'name':'Plans'}");
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *id =
            make(gm_text("{'criteria':{'from':'bob'},'action':{%s}}", cases[i].action));
        const char *labels = arrives(PLAIN);
        if (strncmp(labels, "CATEGORY_PERSONAL", 17) == 0)
            labels += 17;
        assert_string_equal(labels, cases[i].labels);
        gm(ADA, "DELETE", gm_text(FILTERS "/%s", id), NULL);
    }
}

static void all_filters_that_match_act(void **state)
{
    (void)state;
    gm(ADA, "POST", "/labels", "{'name':'one'}");
    gm(ADA, "POST", "/labels", "{'name':'two'}");
    make("{'criteria':{'from':'bob'},'action':{'addLabelIds':['Label_1'],"
         "'removeLabelIds':['INBOX']}}");
    make("{'criteria':{'subject':'report'},'action':{'addLabelIds':['Label_2']}}");
    /* Each looks at the message as it came. */
    make("{'criteria':{'query':'in:inbox'},'action':{'addLabelIds':['STARRED']}}");
    make("{'criteria':{'query':'label:one'},'action':{'addLabelIds':['IMPORTANT']}}");
    assert_string_equal(arrives(PLAIN), "Label_1 Label_2 STARRED UNREAD");
}

static void what_is_filtered_counts_where_it_lands(void **state)
{
    (void)state;
    gm(ADA, "POST", "/labels", "{'name':'Plans'}");
    make("{'criteria':{'from':'bob'},'action':{'addLabelIds':['Label_1'],"
         "'removeLabelIds':['INBOX','UNREAD']}}");
    arrives(PLAIN);
    const struct json *v = gm_get(ADA, 200, "/labels/Label_1");
    assert_int_equal(number_at(v, "messagesTotal"), 1);
    assert_int_equal(number_at(v, "messagesUnread"), 0);
    assert_int_equal(number_at(gm_get(ADA, 200, "/labels/INBOX"), "messagesTotal"), 0);
    v = gm_get(ADA, 200, "/messages?labelIds=Label_1");
    assert_int_equal(count_at(v, "messages"), 1);
    v = gm_get(ADA, 200, "/messages?q=label:plans");
    assert_int_equal(count_at(v, "messages"), 1);
    /* Labels that came and went before are not recorded. */
    v = gm_get(ADA, 200, "/history?startHistoryId=2");
    assert_int_equal(count_at(v, "history"), 1);
    assert_int_equal(count_at(v, "history.0.messagesAdded"), 1);
    assert_null(value_at(v, "history.0.labelsAdded"));
    assert_null(value_at(v, "history.0.labelsRemoved"));
}

/* ---- which mail ---- */

static void what_was_there_stays_as_it_is(void **state)
{
    (void)state;
    assert_string_equal(arrives(PLAIN), "INBOX UNREAD");
    const char *id = gm_newest(ADA);
    make("{'criteria':{'from':'bob'},'action':{'addLabelIds':['STARRED']}}");
    assert_string_equal(labels_of(gm_get(ADA, 200, "/messages/%s?format=minimal", id)),
                        "CATEGORY_PERSONAL INBOX UNREAD");
}

static void what_is_sent_or_inserted_is_not_filtered(void **state)
{
    (void)state;
    make("{'criteria':{'query':'quarterly'},'action':{'addLabelIds':['STARRED']}}");
    const char *id = gm_insert(ADA, "From: bob@acme.example\n" PLAIN, ",'labelIds':['INBOX']");
    assert_string_equal(labels_of(gm_get(ADA, 200, "/messages/%s?format=minimal", id)), "INBOX");
    id = gm_send(ADA, "To: bob@acme.example\nSubject: Quarterly\n\nHi\n", "");
    assert_string_equal(labels_of(gm_get(ADA, 200, "/messages/%s?format=minimal", id)), "SENT");
}

static void a_filter_is_its_mailboxs_own(void **state)
{
    (void)state;
    make("{'criteria':{'from':'bob'},'action':{'addLabelIds':['TRASH']}}");
    gm_send(BOB, PLAIN, "");
    assert_string_equal(labels_of(gm_get(CYD, 200, "/messages/%s?format=minimal", gm_newest(CYD))),
                        "CATEGORY_PERSONAL INBOX UNREAD");
}

static void members_of_groups_filter_what_comes_to_the_group(void **state)
{
    (void)state;
    gm(CYD, "POST", FILTERS,
       "{'criteria':{'to':'all@acme.example'},'action':{'addLabelIds':['STARRED']}}");
    assert_int_equal(test_status, 200);
    gm_send(ADA, "To: all@acme.example\nSubject: s\n\nHi\n", "");
    assert_string_equal(labels_of(gm_get(CYD, 200, "/messages/%s?format=minimal", gm_newest(CYD))),
                        "CATEGORY_PERSONAL INBOX STARRED UNREAD");
    assert_string_equal(labels_of(gm_get(BOB, 200, "/messages/%s?format=minimal", gm_newest(BOB))),
                        "CATEGORY_PERSONAL INBOX UNREAD");
}

static void one_made_in_a_world_of_a_dump_has_an_id_of_its_own(void **state)
{
    static const char form[] =
        "{'criteria':{'from':'%s@b.example'},'action':{'addLabelIds':['STARRED']}}";
    const char *first = arena_strdup(&test_arena, make(arena_printf(&test_arena, form, "x")));
    test_use(json_to_text(&test_arena, test_dump()));
    assert_string_not_equal(make(arena_printf(&test_arena, form, "y")), first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gm_test(a_filter_is_shown_as_it_was_given),
        gm_test(a_filter_too_complex_to_ask_is_refused),
        gm_test(filters_are_deleted_for_good),
        gm_test(what_makes_no_sense_is_refused),
        gm_test(one_label_of_the_owners_and_one_category),
        gm_test(a_filter_is_there_once),
        gm_test(texts_are_limited),
        gm_test(the_number_of_filters_is_limited),
        gm_test(at_most_twenty_forward),
        gm_test(each_criterion_decides),
        gm_test(attachments_are_seen),
        gm_test(lists_are_seen),
        gm_test(questions_about_labels_name_them_for_good),
        gm_test(each_action_acts),
        gm_test(all_filters_that_match_act),
        gm_test(what_is_filtered_counts_where_it_lands),
        gm_test(what_was_there_stays_as_it_is),
        gm_test(what_is_sent_or_inserted_is_not_filtered),
        gm_test(a_filter_is_its_mailboxs_own),
        gm_test(members_of_groups_filter_what_comes_to_the_group),
        gm_test(one_made_in_a_world_of_a_dump_has_an_id_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
