/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: columns, items and their cells, who may use them, exports by the clock. */
#include "tests/support/slack.h"

#define FORM(...) arena_printf(&test_arena, __VA_ARGS__)

static const char SCHEMA[] =
    "[{\"key\":\"title\",\"name\":\"Title\",\"type\":\"text\",\"is_primary_column\":true},"
    "{\"key\":\"n\",\"name\":\"Estimate\",\"type\":\"number\",\"options\":{\"precision\":2}},"
    "{\"key\":\"status\",\"name\":\"Status\",\"type\":\"select\",\"options\":{\"choices\":["
    "{\"value\":\"open\",\"label\":\"Open\"},{\"value\":\"done\",\"label\":\"Done\"}]}},"
    "{\"key\":\"labels\",\"name\":\"Labels\",\"type\":\"multi_select\",\"options\":{\"choices\":["
    "{\"value\":\"p0\",\"label\":\"P0\"},{\"value\":\"p1\",\"label\":\"P1\"}]}},"
    "{\"key\":\"date\",\"name\":\"Date\",\"type\":\"date\"},"
    "{\"key\":\"owner\",\"name\":\"Owner\",\"type\":\"user\"},"
    "{\"key\":\"ready\",\"name\":\"Ready?\",\"type\":\"checkbox\"},"
    "{\"key\":\"email\",\"name\":\"Email\",\"type\":\"email\"},"
    "{\"key\":\"phone\",\"name\":\"Phone\",\"type\":\"phone\"},"
    "{\"key\":\"channel\",\"name\":\"Channel\",\"type\":\"channel\"},"
    "{\"key\":\"rating\",\"name\":\"Rating\",\"type\":\"rating\",\"options\":{\"max\":5}},"
    "{\"key\":\"vote\",\"name\":\"Vote\",\"type\":\"vote\"},"
    "{\"key\":\"link\",\"name\":\"Link\",\"type\":\"link\"},"
    "{\"key\":\"file\",\"name\":\"File\",\"type\":\"attachment\"},"
    "{\"key\":\"message\",\"name\":\"Message\",\"type\":\"message\"},"
    "{\"key\":\"by\",\"name\":\"By\",\"type\":\"created_by\"}]";

static const char *ids[32]; /* of columns, in the order of SCHEMA */
enum {
    TITLE,
    NUMBER,
    STATUS,
    LABELS,
    DATE,
    OWNER,
    READY,
    EMAIL,
    PHONE,
    CHANNEL,
    RATING,
    VOTE,
    LINK,
    FILE_,
    MESSAGE,
    BY
};

static const char *create(const char *who)
{
    const struct json *v = slack(who, "slackLists.create", "name=Sprint&schema=%s", SCHEMA);
    assert_slack(NULL);
    const struct json *schema = value_at(v, "list_metadata.schema");
    for (uint32_t i = 0; i < schema->n; i++)
        ids[i] = text_at(&schema->items[i], "id");
    return text_at(v, "list_id");
}

static const char *rich(const char *text)
{
    return FORM("[{\"type\":\"rich_text\",\"elements\":[{\"type\":\"rich_text_section\","
                "\"elements\":[{\"type\":\"text\",\"text\":\"%s\"}]}]}]",
                text);
}

static const char *add(const char *who, const char *list, const char *title)
{
    const struct json *v =
        slack(who, "slackLists.items.create",
              "list_id=%s&initial_fields=[{\"column_id\":\"%s\",\"rich_text\":%s}]", list,
              ids[TITLE], rich(title));
    assert_slack(NULL);
    return text_at(v, "item.id");
}

static void cell(const char *list, const char *row, int column, const char *value)
{
    slack(ALICE, "slackLists.items.update",
          "list_id=%s&cells=[{\"row_id\":\"%s\",\"column_id\":\"%s\",%s}]", list, row, ids[column],
          value);
}

static void a_list_is_made_of_columns(void **state)
{
    const struct json *v = slack(ALICE, "slackLists.create", "name=Plain");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "list_metadata.schema.0.key"), "name");
    assert_true(true_at(v, "list_metadata.schema.0.is_primary_column"));
    assert_int_equal(count_at(v, "list_metadata.subtask_schema"), 1);
    v = slack(ALICE, "slackLists.create", "name=Tasks&todo_mode=true");
    assert_string_equal(column(v, "list_metadata.schema", "key"),
                        "name todo_completed todo_assignee todo_due_date");
    const char *id = create(ALICE);
    v = slack(ALICE, "files.info", "file=%s", id);
    assert_string_equal(text_at(v, "file.mode"), "list");
    assert_string_equal(text_at(v, "file.mimetype"), "application/vnd.slack-list");
    assert_string_equal(text_at(v, "file.title"), "Sprint");
    assert_string_equal(text_at(v, "file.list_metadata.schema.2.options.format"), "single_select");
    assert_int_equal(count_at(v, "file.list_metadata.views"), 2);
    assert_int_equal(number_at(v, "file.list_limits.row_count"), 0);
    slack(BOB, "files.info", "file=%s", id);
    assert_slack("file_not_found");
    slack(ALICE, "slackLists.update", "id=%s&name=New&todo_mode=true", id);
    assert_slack(NULL);
    v = slack(ALICE, "files.info", "file=%s", id);
    assert_string_equal(text_at(v, "file.title"), "New");
    assert_true(true_at(v, "file.list_metadata.todo_mode"));
    slack(ALICE, "slackLists.update", "id=%s", id);
    assert_slack("missing_arguments");
    slack(BOB, "slackLists.update", "id=%s&name=a", id);
    assert_slack("list_not_found");
}

static void bad_columns_are_refused(void **state)
{
#define COLUMN "{\"key\":\"a\",\"name\":\"A\",\"type\":\"text\",\"is_primary_column\":true}"
    static const char *const bad[][2] = {
        {"schema=nonsense", "invalid_schema"},
        {"schema=[]", "invalid_schema"},
        {"schema=[{\"key\":\"a\",\"name\":\"A\",\"type\":\"text\"}]", "invalid_primary_column"},
        {"schema=[" COLUMN ",{\"key\":\"b\",\"name\":\"B\",\"type\":\"text\","
         "\"is_primary_column\":true}]",
         "invalid_primary_column"},
        {"schema=[{\"key\":\"a\",\"name\":\"A\",\"type\":\"number\",\"is_primary_column\":true}]",
         "invalid_primary_column"},
        {"schema=[" COLUMN ",{\"key\":\"b\",\"name\":\"B\",\"type\":\"nonsense\"}]",
         "invalid_column_type"},
        {"schema=[" COLUMN ",{\"key\":\"a\",\"name\":\"B\",\"type\":\"text\"}]", "invalid_schema"},
        {"schema=[" COLUMN ",{\"key\":\"b\",\"name\":\"B\",\"type\":\"select\"}]",
         "invalid_schema"},
        {"schema=[" COLUMN "]&copy_from_list_id=F0NONE", "invalid_copy_and_schema_args"},
        {"include_copied_list_records=true", "missing_arg_copy_from_list_id"},
        {"copy_from_list_id=F0NONE", "list_not_found"}};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        slack(ALICE, "slackLists.create", "name=a&%s", bad[i][0]);
        assert_slack(bad[i][1]);
    }
    slack(ALICE, "slackLists.create", "name=%0300d", 1);
    assert_slack("over_title_length_maximum");
    slack(ALICE, "slackLists.create", "%s", "");
    assert_slack("invalid_arguments");
}

static void cells_have_the_type_of_their_column(void **state)
{
    const char *list = create(ALICE), *row = add(ALICE, list, "Fix bug");
    static const struct {
        int column;
        const char *value, *error;
    } cells[] = {
        {NUMBER, "\"number\":[3]", NULL},
        {NUMBER, "\"number\":[\"3\"]", "invalid_input_type"},
        {NUMBER, "\"number\":[3,4]", "over_cell_fields_limit"},
        {NUMBER, "\"date\":[\"2026-01-01\"]", "invalid_input_type"},
        {STATUS, "\"select\":[\"done\"]", NULL},
        {STATUS, "\"select\":[\"none\"]", "invalid_option_id"},
        {STATUS, "\"select\":[\"open\",\"done\"]", "over_cell_fields_limit"},
        {LABELS, "\"select\":[\"p0\",\"p1\"]", NULL},
        {DATE, "\"date\":[\"2026-02-28\"]", NULL},
        {DATE, "\"date\":[\"2026-02-30\"]", "invalid_date"},
        {OWNER, "\"user\":[\"U0BOB\"]", NULL},
        {OWNER, "\"user\":[\"U0NONE\"]", "user_not_found"},
        {READY, "\"checkbox\":true", NULL},
        {READY, "\"checkbox\":\"yes\"", "invalid_input_type"},
        {EMAIL, "\"email\":[\"a@b.example\"]", NULL},
        {EMAIL, "\"email\":[\"nonsense\"]", "invalid_email"},
        {PHONE, "\"phone\":[\"%2B49 30 1234\"]", NULL},
        {PHONE, "\"phone\":[\"call me\"]", "invalid_phone_number"},
        {CHANNEL, "\"channel\":[\"C0DEV\"]", NULL},
        {CHANNEL, "\"channel\":[\"C0VAULT\"]", "channel_not_found"},
        {RATING, "\"rating\":[4]", NULL},
        {RATING, "\"rating\":[6]", "invalid_input_type"},
        {VOTE, "\"vote\":[\"U0BOB\",\"U0CAROL\"]", NULL},
        {VOTE, "\"vote\":[5]", "invalid_vote_value"},
        {LINK, "\"link\":[{\"original_url\":\"https://x.example\"}]", NULL},
        {LINK, "\"link\":[{\"original_url\":\"nonsense\"}]", "invalid_input_type"},
        {FILE_, "\"attachment\":[\"F0NONE\"]", "file_not_found"},
        {MESSAGE, "\"message\":[\"https://acme.slack.com/archives/C0DEV/p1\"]", NULL},
        {MESSAGE, "\"message\":[\"nonsense\"]", "invalid_link"},
        {TITLE, "\"rich_text\":[{\"type\":\"section\"}]", "invalid_text_block"},
        {BY, "\"user\":[\"U0BOB\"]", "uneditable_column"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cells); i++) {
        cell(list, row, cells[i].column, cells[i].value);
        assert_slack(cells[i].error);
    }
    const struct json *v = slack(ALICE, "slackLists.items.info", "list_id=%s&id=%s", list, row);
    assert_slack(NULL);
    assert_string_equal(column(v, "record.fields", "key"),
                        "title n status labels date owner ready email phone channel rating vote "
                        "link message");
    assert_string_equal(text_at(v, "record.fields.0.text"), "Fix bug");
    assert_int_equal(number_at(v, "record.fields.1.value"), 3);
    assert_string_equal(text_at(v, "record.fields.2.value"), "done");
    assert_string_equal(text_at(v, "record.fields.3.value"), "p0,p1");
    assert_int_equal(number_at(v, "record.fields.4.timestamp.0"), -1);
    assert_true(true_at(v, "record.fields.6.checkbox"));
    assert_string_equal(text_at(v, "list.id"), list);
    cell(list, row, STATUS, "\"select\":[]"); /* empties it */
    assert_slack(NULL);
    v = slack(ALICE, "slackLists.items.info", "list_id=%s&id=%s", list, row);
    assert_int_equal(count_at(v, "record.fields"), 13);
}

static void items_come_and_go(void **state)
{
    const char *list = create(ALICE), *a = add(ALICE, list, "a"), *b = add(ALICE, list, "b");
    const char *c = add(ALICE, list, "c");
    const struct json *v = slack(ALICE, "slackLists.items.list", "list_id=%s&limit=2", list);
    assert_string_equal(column(v, "items", "id"), FORM("%s %s", c, b));
    v = slack(ALICE, "slackLists.items.list", "list_id=%s&limit=2&cursor=%s", list,
              text_at(v, "response_metadata.next_cursor"));
    assert_string_equal(column(v, "items", "id"), a);
    assert_string_equal(text_at(v, "response_metadata.next_cursor"), "");
    slack(ALICE, "slackLists.items.list", "list_id=%s&cursor=nonsense", list);
    assert_slack("invalid_cursor");
    v = slack(ALICE, "slackLists.items.create", "list_id=%s&duplicated_item_id=%s", list, a);
    assert_string_equal(text_at(v, "item.fields.0.text"), "a");
    slack(ALICE, "slackLists.items.create", "list_id=%s&duplicated_item_id=Rec0NONE", list);
    assert_slack("duplicated_item_not_found");
    v = slack(ALICE, "slackLists.items.create", "list_id=%s&parent_item_id=%s", list, b);
    const char *below = text_at(v, "item.id");
    v = slack(ALICE, "slackLists.items.info", "list_id=%s&id=%s", list, b);
    assert_string_equal(column(v, "subtasks", "id"), below);
    v = slack(ALICE, "slackLists.items.info", "list_id=%s&id=%s", list, below);
    assert_string_equal(text_at(v, "parent_task.id"), b);
    slack(ALICE, "slackLists.items.delete", "list_id=%s&id=%s", list, b);
    assert_slack(NULL);
    slack(ALICE, "slackLists.items.delete", "list_id=%s&id=%s", list, b);
    assert_slack("record_not_found");
    slack(ALICE, "slackLists.items.info", "list_id=%s&id=%s", list, below);
    assert_slack("record_deleted");
    slack(ALICE, "slackLists.items.info", "list_id=%s&id=Rec0NONE", list);
    assert_slack("record_not_found");
    slack(ALICE, "slackLists.items.deleteMultiple", "list_id=%s&ids=%s,%s,Rec0NONE", list, a, c);
    assert_slack(NULL);
    v = slack(ALICE, "slackLists.items.list", "list_id=%s", list);
    assert_int_equal(count_at(v, "items"), 1);
    slack(ALICE, "slackLists.items.update",
          "list_id=%s&cells=[{\"row_id_to_create\":true,\"column_id\":\"%s\",\"number\":[1]},"
          "{\"row_id_to_create\":true,\"column_id\":\"%s\",\"checkbox\":false}]",
          list, ids[NUMBER], ids[READY]);
    assert_slack(NULL);
    v = slack(ALICE, "slackLists.items.list", "list_id=%s", list);
    assert_int_equal(count_at(v, "items"), 2);
    assert_int_equal(count_at(v, "items.0.fields"), 2);
}

static void bad_cells_are_refused(void **state)
{
    const char *list = create(ALICE), *row = add(ALICE, list, "a");
    static const char *const bad[][2] = {
        {"cells=[]", "invalid_arguments"},
        {"cells=nonsense", "invalid_arguments"},
        {"cells=[{\"column_id\":\"Col0NONE\"}]", "row_id_not_provided"},
        {"cells=[{\"row_id\":\"Rec0NONE\",\"column_id\":\"Col0NONE\"}]", "invalid_row_id"}};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        slack(ALICE, "slackLists.items.update", "list_id=%s&%s", list, bad[i][0]);
        assert_slack(bad[i][1]);
    }
    slack(ALICE, "slackLists.items.update", "list_id=%s&cells=[{\"row_id\":\"%s\"}]", list, row);
    assert_slack("column_id_not_provided");
    slack(ALICE, "slackLists.items.update",
          "list_id=%s&cells=[{\"row_id\":\"%s\",\"column_id\":\"Col0NONE\"}]", list, row);
    assert_slack("invalid_column_id");
    slack(ALICE, "slackLists.items.create",
          "list_id=%s&initial_fields=[{\"column_id\":\"Col0NONE\"}]", list);
    assert_slack("invalid_column_id");
    slack(ALICE, "slackLists.items.create",
          "list_id=%s&initial_fields=[{\"column_id\":\"%s\",\"select\":[\"none\"]}]", list,
          ids[STATUS]);
    assert_slack("invalid_option_id");
    slack(ALICE, "slackLists.items.list", "list_id=F0NONE");
    assert_slack("list_not_found");
    slack(BOB, "slackLists.items.list", "list_id=%s", list);
    assert_slack("list_not_found");
}

static void levels_and_copies(void **state)
{
    const char *list = create(ALICE);
    const char *above = add(ALICE, list, "a");
    slack(ALICE, "slackLists.items.create",
          "list_id=%s&parent_item_id=%s&initial_fields=[{\"column_id\":\"%s\",\"rich_text\":%s}]",
          list, above, ids[TITLE], rich("below"));
    assert_slack(NULL);
    slack(ALICE, "slackLists.access.set", "list_id=%s&access_level=read&channel_ids=" DEV, list);
    assert_slack(NULL);
    slack(BOB, "slackLists.items.create", "list_id=%s", list);
    assert_slack("permission_denied");
    const struct json *v =
        slack(BOB, "slackLists.create",
              "name=Copy&copy_from_list_id=%s&include_copied_list_records=1", list);
    assert_slack(NULL);
    const char *copy = text_at(v, "list_id");
    v = slack(BOB, "slackLists.items.list", "list_id=%s", copy);
    assert_string_equal(column(v, "items.0.fields", "text"), "below");
    assert_string_equal(column(v, "items.1.fields", "text"), "a");
    v = slack(BOB, "slackLists.items.info", "list_id=%s&id=%s", copy, text_at(v, "items.1.id"));
    assert_int_equal(count_at(v, "subtasks"), 1); /* of the copy, not of the list */
    slack(ALICE, "slackLists.access.delete", "list_id=%s&channel_ids=" DEV, list);
    assert_slack(NULL);
    slack(ALICE, "slackLists.access.delete", "list_id=%s&user_ids=U0BOB", list);
    assert_slack("failed_to_update_user_ids"); /* he had it of the channel */
    slack(ALICE, "slackLists.access.delete", "list_id=%s&user_ids=U0ALICE", list);
    assert_slack("failed_to_update_user_ids");
    slack(ALICE, "slackLists.access.set", "list_id=%s&access_level=read&user_ids=U0CAROL", list);
    assert_slack(NULL);
    slack(ALICE, "slackLists.access.delete", "list_id=%s&user_ids=U0CAROL,U0BOB", list);
    assert_slack("failed_to_update_user_ids"); /* and nobody's is taken */
    slack(CAROL, "slackLists.items.list", "list_id=%s", list);
    assert_slack(NULL);
    slack_json(ALICE, "slackLists.access.set",
               "{'list_id':'%s','access_level':'read','user_ids':['U0BOB','U0CAROL']}", list);
    assert_slack(NULL);
    slack_json(ALICE, "slackLists.access.delete", "{'list_id':'%s','user_ids':['U0BOB','U0CAROL']}",
               list);
    assert_slack(NULL);
    slack(BOB, "slackLists.items.list", "list_id=%s", list);
    assert_slack("list_not_found");
    slack(ALICE, "slackLists.access.set", "list_id=%s&access_level=read", list);
    assert_slack("invalid_parameters");
    slack(ALICE, "files.delete", "file=%s", list);
    assert_slack(NULL);
    slack(ALICE, "slackLists.items.list", "list_id=%s", list);
    assert_slack("list_not_found");
}

/* However an item is made. */
static void a_list_has_a_thousand_items(void **state)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "chatFiles: [{id: F0LIST, user: U0ALICE, name: list, title: Tasks, mode: list}]\n"
                 "chatLists: [{file: F0LIST, columns: [{id: Col0T, key: t, name: T, type: text, "
                 "primary: true}, {id: Col0N, key: n, name: N, type: number}], items: [");
    for (int i = 0; i < 1000; i++)
        buf_printf(&b, "%s{id: Rec%d}", i ? "," : "", i);
    buf_puts(&b, "], access: [{user: U0ALICE, level: owner}]}]\n");
    slack_use_with(buf_str(&b));
    buf_done(&b);
    slack(ALICE, "slackLists.items.create", "%s", "list_id=F0LIST");
    assert_slack("over_row_maximum");
    slack(ALICE, "slackLists.items.update", "%s",
          "list_id=F0LIST&cells=[{\"row_id_to_create\":true,\"column_id\":\"Col0N\","
          "\"number\":[1]}]");
    assert_slack("over_row_maximum");
}

static void an_export_is_there_after_a_while(void **state)
{
    const char *list = create(ALICE), *row = add(ALICE, list, "Say \\\"hi\\\", all");
    cell(list, row, OWNER, "\"user\":[\"U0BOB\"]");
    const struct json *v = slack(ALICE, "slackLists.download.start", "list_id=%s", list);
    assert_slack(NULL);
    const char *job = text_at(v, "job_id");
    v = slack(ALICE, "slackLists.download.get", "list_id=%s&job_id=%s", list, job);
    assert_string_equal(text_at(v, "status"), "IN_PROGRESS");
    test_advance(3);
    v = slack(ALICE, "slackLists.download.get", "list_id=%s&job_id=%s", list, job);
    assert_string_equal(text_at(v, "status"), "COMPLETED");
    assert_non_null(text_at(v, "download_url"));
    slack(ALICE, "slackLists.download.get", "list_id=%s&job_id=Le0NONE", list);
    assert_slack("job_not_found");
    const char *path = FORM("/@files.slack.com/files-pri/T0ACME-%s/csv/list", list);
    slack_call("GET", path, NULL, slack_token(ALICE, NULL), NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(test_body,
                        "Title,Estimate,Status,Labels,Date,Owner,Ready?,Email,Phone,Channel,Rating,"
                        "Vote,Link,File,Message,By\r\n"
                        "\"Say \"\"hi\"\", all\",,,,,Bob Stone,,,,,,,,,,\r\n");
    slack_call("GET", path, NULL, slack_token(BOB, NULL), NULL);
    assert_int_equal(test_status, 404);
    slack_call("GET", path, NULL, NULL, NULL);
    assert_int_equal(test_status, 302);
}

static void odd_choices_are_none(void **state)
{
    char *word = arena_alloc(&test_arena, 30001);
    (void)state;
    memset(word, 'a', 30000);
    word[30000] = 0;
    slack_use_with(arena_printf(
        &test_arena,
        "chatFiles: [{id: F0ODD, user: U0ALICE, name: l, mode: list}]\n"
        "chatLists: [{file: F0ODD, columns: [{id: Col0A, key: a, name: A, type: text,\n"
        "  primary: true}, {id: Col0S, key: s, name: S, type: select, options: {choices: %s}}],\n"
        "  items: [{id: Rec0A}]}]\n",
        word));
    slack(
        ALICE, "slackLists.items.update",
        "list_id=F0ODD&cells=[{\"row_id\":\"Rec0A\",\"column_id\":\"Col0S\",\"select\":[\"a\"]}]");
    assert_slack("invalid_option_id");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(a_list_is_made_of_columns),
        slack_test(bad_columns_are_refused),
        slack_test(cells_have_the_type_of_their_column),
        slack_test(items_come_and_go),
        slack_test(bad_cells_are_refused),
        slack_test(levels_and_copies),
        slack_test(an_export_is_there_after_a_while),
        slack_test(a_list_has_a_thousand_items),
        slack_test(odd_choices_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
