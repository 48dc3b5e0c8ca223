/* SPDX-License-Identifier: Apache-2.0 */
/* A schema for each type of block and of element, with its members and their limits
 * (docs.slack.dev, Block Kit reference; the types of Slack's own SDK). What is not in one is
 * refused. */
#include "services/chat/slack/blocks/blocks_impl.h"

#define FIELDS(table) (table), SOSIA_LEN(table)
#define NEEDED        .required = true
#define ONE_OF(...)   ((const char *const[]){__VA_ARGS__, NULL})
#define STRING        "string", .characters = true
#define STRINGS       "string", .list = true
#define FLAG          "boolean"
#define WHOLE         "integer"
#define NATURAL       "integer", .max = INT64_MAX
#define DATE          "string", .format = "date", .text = "input must be a valid: date"
#define CLOCK         "string", .format = "clock", .text = "must be a valid time in the format HH:mm"
#define PICTURE       STRING, .format = "picture", .text = "downloading image failed"
#define SECOND                                                                                     \
    "integer", .min = 1000000000, .max = 9999999999, .text = "must be a Unix timestamp of 10 digits"
#define OBJECT(schema)  "object", .of = &(schema)
#define OBJECTS(schema) OBJECT(schema), .list = true
#define TYPED(schemas)  "object", .types = (schemas)
#define TYPEDS(schemas) TYPED(schemas), .list = true
/* The end of a table of types, and what documents call them. */
#define END(called)                                                                                \
    {                                                                                              \
        NULL, .summary = (called)                                                                  \
    }
#define LISTS(row) "list", .list = true, .fields = &(row), .n_fields = 1
/* Text objects of at most max characters, at which blocks.c looks by itself. */
#define TEXT  TYPED(texts), .mark = SL_TEXT
#define TEXTS TEXT, .list = true, .least = 1
#define PLAIN TYPED(plain_texts), .mark = SL_PLAIN
#define LABEL TYPED(plain_texts), .mark = SL_LABEL

#define BLOCK_ID                                                                                   \
    {                                                                                              \
        "block_id", STRING, .max = 255                                                             \
    }
#define ACTION_ID                                                                                  \
    {                                                                                              \
        "action_id", STRING, .max = 255                                                            \
    }

/* ---- text objects ---- */

static const struct field plain_text[] = {{"text", STRING, NEEDED, .min = 1}, {"emoji", FLAG}};
static const struct field marked_text[] = {{"text", STRING, NEEDED, .min = 1}, {"verbatim", FLAG}};
static const struct schema texts[] = {
    {"plain_text", FIELDS(plain_text)}, {"mrkdwn", FIELDS(marked_text)}, END("text")};
static const struct schema plain_texts[] = {{"plain_text", FIELDS(plain_text)}, END("plain_text")};

/* ---- what elements are made of ---- */

static const struct field confirm_members[] = {
    {"title", PLAIN, NEEDED, .max = 100},
    {"text", TEXT, NEEDED, .max = 300},
    {"confirm", PLAIN, .max = 30},
    {"deny", PLAIN, .max = 30},
    {"style", "string", .values = ONE_OF("primary", "danger")}};
static const struct schema confirm = {.fields = FIELDS(confirm_members)};

#define OPTION(texts)                                                                              \
    {"text", texts, NEEDED, .max = 75}, {"value", STRING, NEEDED, .max = 150},                     \
    {                                                                                              \
        "description", texts, .max = 75                                                            \
    }
static const struct field option_members[] = {OPTION(TEXT)};
static const struct field menu_members[] = {OPTION(LABEL)};
static const struct field overflow_members[] = {OPTION(LABEL), {"url", STRING, .max = 3000}};
static const struct schema option = {.fields = FIELDS(option_members)};
static const struct schema menu = {.fields = FIELDS(menu_members)};
static const struct schema overflow_option = {.fields = FIELDS(overflow_members)};

static const struct field group_members[] = {
    {"label", PLAIN, NEEDED, .max = 75},
    {"options", OBJECTS(menu), NEEDED, .least = 1, .most = 100}};
static const struct schema group = {.fields = FIELDS(group_members)};

static const struct field filter_members[] = {
    {"include", STRINGS}, {"exclude_external_shared_channels", FLAG}, {"exclude_bot_users", FLAG}};
static const struct schema filter = {.fields = FIELDS(filter_members)};
static const struct field dispatch_members[] = {{"trigger_actions_on", STRINGS}};
static const struct schema dispatch = {.fields = FIELDS(dispatch_members)};
static const struct field slack_file_members[] = {{"id", STRING}, {"url", STRING}};
static const struct schema slack_file = {.fields = FIELDS(slack_file_members), .needs = "id url"};

static const struct field slack_icon_members[] = {
    {"type", "string", NEEDED, .values = ONE_OF("icon")}, {"name", STRING, NEEDED}};
static const struct schema slack_icon = {.fields = FIELDS(slack_icon_members)};

static const struct field input_parameter_members[] = {{"name", STRING, NEEDED},
                                                       {"value", "any", NEEDED}};
static const struct schema input_parameter = {.fields = FIELDS(input_parameter_members)};
static const struct field trigger_members[] = {
    {"url", STRING, NEEDED}, {"customizable_input_parameters", OBJECTS(input_parameter)}};
static const struct schema trigger = {.fields = FIELDS(trigger_members)};
static const struct field workflow_members[] = {{"trigger", OBJECT(trigger), NEEDED}};
static const struct schema workflow = {.fields = FIELDS(workflow_members)};

#define CONFIRM                                                                                    \
    {                                                                                              \
        "confirm", OBJECT(confirm)                                                                 \
    }
#define PLACEHOLDER                                                                                \
    {                                                                                              \
        "placeholder", PLAIN, .max = 150                                                           \
    }
#define FOCUS                                                                                      \
    {                                                                                              \
        "focus_on_load", FLAG                                                                      \
    }
#define DISPATCH                                                                                   \
    {                                                                                              \
        "dispatch_action_config", OBJECT(dispatch)                                                 \
    }
#define ON_ENTER "{\"trigger_actions_on\":[\"on_enter_pressed\"]}"
#define RESPONSE_URL                                                                               \
    {                                                                                              \
        "response_url_enabled", FLAG                                                               \
    }
#define MOST                                                                                       \
    {                                                                                              \
        "max_selected_items", NATURAL, .min = 1                                                    \
    }

/* ---- rich text ---- */

static const struct field style_members[] = {
    {"bold", FLAG},      {"italic", FLAG},    {"strike", FLAG}, {"code", FLAG},
    {"underline", FLAG}, {"highlight", FLAG}, {"unlink", FLAG}, {"client_highlight", FLAG}};
static const struct schema style = {.fields = FIELDS(style_members)};
#define STYLE                                                                                      \
    {                                                                                              \
        "style", OBJECT(style)                                                                     \
    }
static const struct field rich_plain[] = {{"text", STRING, NEEDED, .min = 1}, STYLE};
static const struct field rich_link[] = {{"url", STRING, NEEDED},
                                         {"text", STRING},
                                         {"unsafe", FLAG},
                                         {"from_llm", FLAG},
                                         {"is_slack_url", FLAG},
                                         {"truncated", FLAG},
                                         STYLE};
static const struct field rich_user[] = {{"user_id", STRING, NEEDED}, {"from_llm", FLAG}, STYLE};
static const struct field rich_group[] = {{"usergroup_id", STRING, NEEDED}, STYLE};
static const struct field rich_channel[] = {
    {"channel_id", STRING, NEEDED}, {"tab_id", STRING}, {"from_llm", FLAG}, STYLE};
static const struct field rich_team[] = {{"team_id", STRING, NEEDED}, STYLE};
static const struct field rich_emoji[] = {{"name", STRING, NEEDED},
                                          {"unicode", STRING},
                                          {"skin_tone", NATURAL},
                                          {"url", STRING},
                                          {"display_url", "any"},
                                          {"display_team_id", "any"},
                                          STYLE};
static const struct field rich_date[] = {{"timestamp", NATURAL, NEEDED}, {"format", STRING, NEEDED},
                                         {"timezone", STRING},           {"url", STRING},
                                         {"fallback", STRING},           STYLE};
static const struct field rich_broadcast[] = {
    {"range", "string", NEEDED, .values = ONE_OF("here", "channel", "everyone")}, STYLE};
static const struct field rich_color[] = {{"value", STRING, NEEDED}, STYLE};
static const struct field rich_tag[] = {
    {"text", STRING, NEEDED},
    {"color", "string",
     .values =
         ONE_OF("gray", "brown", "purple", "indigo", "blue", "green", "yellow", "orange", "red")},
    STYLE};

/* What a client makes a reference to. */
#define TITLED {"text", STRING}, {"url", STRING}, STYLE
static const struct field rich_file[] = {
    {"file_id", STRING, NEEDED}, {"is_skill_invocation", FLAG}, TITLED};
static const struct field rich_canvas[] = {{"file_id", STRING, NEEDED},   {"label", STRING},
                                           {"hide_title", FLAG},          {"section_id", STRING},
                                           {"is_skill_invocation", FLAG}, TITLED};
static const struct field rich_canvas_user[] = {
    {"user_id", STRING, NEEDED}, {"thread_id", STRING}, STYLE};
static const struct field rich_canvas_message[] = {
    {"root_message_ts", STRING, NEEDED}, {"root_message_channel", STRING, NEEDED}, STYLE};
static const struct field rich_record[] = {
    {"file_id", STRING, NEEDED}, {"record_id", STRING}, {"view_id", STRING}, TITLED};
static const struct field rich_message[] = {{"channel_id", STRING, NEEDED},
                                            {"message_ts", STRING, NEEDED},
                                            {"author_id", STRING},
                                            {"thread_ts", STRING},
                                            TITLED};
static const struct field rich_attachment[] = {
    {"url", STRING, NEEDED},  {"text", STRING},
    {"app_id", STRING},       {"entity_id", STRING},
    {"icon_url", STRING},     {"channel_id", STRING},
    {"ts", STRING},           {"full_size_preview_enabled", FLAG},
    {"icon_name", STRING},    {"reference_object_type", STRING},
    {"product_name", STRING}, STYLE};
static const struct field rich_work_object[] = {
    {"entity_id", STRING, NEEDED}, {"app_id", STRING, NEEDED},
    {"text", STRING, NEEDED},      {"url", STRING, NEEDED},
    {"icon_url", STRING},          {"full_size_preview_enabled", FLAG},
    {"product_name", STRING},      STYLE};
static const struct field rich_workflow[] = {{"workflow_id", STRING, NEEDED},
                                             {"function_trigger_id", STRING, NEEDED},
                                             {"text", STRING, NEEDED},
                                             {"url", STRING},
                                             {"channel_id", STRING},
                                             {"ts", STRING},
                                             STYLE};
static const struct field rich_salesforce[] = {{"salesforce_record_id", STRING, NEEDED},
                                               {"salesforce_field_label", STRING},
                                               {"salesforce_field_api_name", STRING},
                                               {"salesforce_include_field_label", FLAG},
                                               STYLE};
/* Of each citation_type some. */
static const struct field cited_members[] = {
    {"citation_type", "string", NEEDED,
     .values = ONE_OF("file", "external", "web", "message", "memory")},
    {"descriptor", STRING},
    {"file_id", STRING},
    {"app_name", STRING},
    {"app_icon_url", STRING},
    {"display_name", STRING},
    {"title", STRING},
    {"snippet", STRING},
    {"channel", STRING},
    {"message_ts", STRING},
    {"memory_id", STRING}};
static const struct schema cited = {.fields = FIELDS(cited_members)};
static const struct field rich_citation[] = {
    {"url", STRING, NEEDED},     {"text", STRING, NEEDED},
    {"index", "number", NEEDED}, {"details", OBJECT(cited), NEEDED},
    {"from_llm", FLAG},          {"is_slack_url", FLAG}};
static const struct schema rich_elements[] = {
    {"text", FIELDS(rich_plain)},
    {"link", FIELDS(rich_link)},
    {"user", FIELDS(rich_user)},
    {"usergroup", FIELDS(rich_group)},
    {"channel", FIELDS(rich_channel)},
    {"team", FIELDS(rich_team)},
    {"emoji", FIELDS(rich_emoji)},
    {"date", FIELDS(rich_date)},
    {"broadcast", FIELDS(rich_broadcast)},
    {"color", FIELDS(rich_color)},
    {"tag", FIELDS(rich_tag)},
    {"file", FIELDS(rich_file)},
    {"canvas", FIELDS(rich_canvas)},
    {"canvas_user_mention", FIELDS(rich_canvas_user)},
    {"canvas_message_unfurl", FIELDS(rich_canvas_message)},
    {"list_record", FIELDS(rich_record)},
    {"message_mention", FIELDS(rich_message)},
    {"attachment_mention", FIELDS(rich_attachment)},
    {"work_object_mention", FIELDS(rich_work_object)},
    {"workflow_mention", FIELDS(rich_workflow)},
    {"salesforce_data_field", FIELDS(rich_salesforce)},
    {"citation", FIELDS(rich_citation)},
    END("rich_text_element"),
};
static const struct schema code_elements[] = {
    {"text", FIELDS(rich_plain)}, {"link", FIELDS(rich_link)}, END("rich_text_code")};

#define BORDER                                                                                     \
    {                                                                                              \
        "border", WHOLE, .max = 1                                                                  \
    }
static const struct field rich_section[] = {{"elements", TYPEDS(rich_elements), NEEDED}};
const struct schema sl_list_items[] = {{"rich_text_section", FIELDS(rich_section)},
                                       END("rich_text_item")};
static const struct field rich_list[] = {
    {"elements", TYPEDS(sl_list_items), NEEDED},
    {"style", "string", NEEDED, .values = ONE_OF("bullet", "ordered")},
    {"indent", WHOLE, .max = 8},
    {"offset", NATURAL},
    BORDER};
static const struct field rich_quote[] = {{"elements", TYPEDS(rich_elements), NEEDED}, BORDER};
static const struct field rich_code[] = {
    {"elements", TYPEDS(code_elements), NEEDED}, {"language", STRING}, BORDER};
static const struct schema rich_parts[] = {
    {"rich_text_section", FIELDS(rich_section)},
    {"rich_text_list", FIELDS(rich_list)},
    {"rich_text_quote", FIELDS(rich_quote)},
    {"rich_text_preformatted", FIELDS(rich_code)},
    END("rich_text_part"),
};
static const struct field rich_text[] = {{"elements", TYPEDS(rich_parts), NEEDED}, BLOCK_ID};
static const struct schema rich_blocks[] = {{"rich_text", FIELDS(rich_text)},
                                            END("rich_text_block")};

/* ---- elements ---- */

#define STYLE_OF_BUTTON                                                                            \
    {                                                                                              \
        "style", "string", .values = ONE_OF("primary", "danger")                                   \
    }
static const struct field button[] = {{"text", PLAIN, NEEDED, .max = 75},
                                      ACTION_ID,
                                      {"url", STRING, .max = 3000},
                                      {"value", STRING, .max = 2000},
                                      STYLE_OF_BUTTON,
                                      {"accessibility_label", STRING, .max = 75},
                                      CONFIRM};
static const struct field workflow_button[] = {{"text", PLAIN, NEEDED, .max = 75},
                                               {"workflow", OBJECT(workflow), NEEDED},
                                               ACTION_ID,
                                               STYLE_OF_BUTTON,
                                               {"accessibility_label", STRING, .max = 75},
                                               CONFIRM};
static const struct field icon[] = {{"icon", STRING, NEEDED},
                                    {"text", PLAIN, NEEDED, .max = 75},
                                    ACTION_ID,
                                    {"value", STRING, .max = 2000},
                                    {"accessibility_label", STRING, .max = 75},
                                    {"visible_to_user_ids", STRINGS},
                                    CONFIRM};
static const struct field thumb_members[] = {{"text", PLAIN, NEEDED, .max = 75},
                                             {"value", STRING, NEEDED, .max = 2000},
                                             {"accessibility_label", STRING, .max = 75}};
static const struct schema thumb = {.fields = FIELDS(thumb_members)};
static const struct field feedback[] = {{"positive_button", OBJECT(thumb), NEEDED},
                                        {"negative_button", OBJECT(thumb), NEEDED},
                                        ACTION_ID};

#define OF_OPTIONS                                                                                 \
    ACTION_ID, PLACEHOLDER, {"options", OBJECTS(menu), .least = 1, .most = 100},                   \
        {"option_groups", OBJECTS(group), .most = 100}, CONFIRM, FOCUS
static const struct field select[] = {OF_OPTIONS,
                                      {"initial_option", OBJECT(menu), .mark = SL_CHOICE}};
static const struct field multi_select[] = {
    OF_OPTIONS, {"initial_options", OBJECTS(menu), .mark = SL_CHOICE, .most = 100}, MOST};
#define FROM_ELSEWHERE ACTION_ID, PLACEHOLDER, {"min_query_length", NATURAL}, CONFIRM, FOCUS
static const struct field external[] = {FROM_ELSEWHERE,
                                        {"initial_option", OBJECT(menu), .mark = SL_CHOICE}};
static const struct field multi_external[] = {
    FROM_ELSEWHERE, {"initial_options", OBJECTS(menu), .mark = SL_CHOICE, .most = 100}, MOST};
static const struct field users[] = {
    ACTION_ID, PLACEHOLDER, {"initial_user", STRING}, CONFIRM, FOCUS};
static const struct field multi_users[] = {ACTION_ID, PLACEHOLDER, {"initial_users", STRINGS},
                                           MOST,      CONFIRM,     FOCUS};
#define CONVERSATIONS                                                                              \
    ACTION_ID, PLACEHOLDER, {"default_to_current_conversation", FLAG}, {"filter", OBJECT(filter)}, \
        CONFIRM, FOCUS
static const struct field conversations[] = {
    CONVERSATIONS, {"initial_conversation", STRING}, RESPONSE_URL};
static const struct field multi_conversations[] = {
    CONVERSATIONS, {"initial_conversations", STRINGS}, MOST};
static const struct field channels[] = {ACTION_ID,    PLACEHOLDER, {"initial_channel", STRING},
                                        RESPONSE_URL, CONFIRM,     FOCUS};
static const struct field multi_channels[] = {ACTION_ID, PLACEHOLDER, {"initial_channels", STRINGS},
                                              MOST,      CONFIRM,     FOCUS};
static const struct field overflow[] = {
    ACTION_ID, {"options", OBJECTS(overflow_option), NEEDED, .least = 1, .most = 5}, CONFIRM};
static const struct field radio[] = {ACTION_ID,
                                     {"options", OBJECTS(option), NEEDED, .least = 1, .most = 10},
                                     {"initial_option", OBJECT(option), .mark = SL_CHOICE},
                                     CONFIRM,
                                     FOCUS};
static const struct field boxes[] = {
    ACTION_ID,
    {"options", OBJECTS(option), NEEDED, .least = 1, .most = 10},
    {"initial_options", OBJECTS(option), .mark = SL_CHOICE, .most = 10},
    CONFIRM,
    FOCUS};
static const struct field datepicker[] = {
    ACTION_ID, PLACEHOLDER, {"initial_date", DATE}, CONFIRM, FOCUS};
static const struct field timepicker[] = {
    ACTION_ID, PLACEHOLDER, {"initial_time", CLOCK}, {"timezone", STRING}, CONFIRM, FOCUS};
static const struct field datetimepicker[] = {
    ACTION_ID, {"initial_date_time", SECOND}, CONFIRM, FOCUS};
static const struct field line[] = {
    ACTION_ID, PLACEHOLDER, {"initial_value", STRING, .max = 3000}, DISPATCH, FOCUS};
static const struct field text_input[] = {
    ACTION_ID,
    PLACEHOLDER,
    {"initial_value", STRING, .max = 3000},
    {"multiline", FLAG},
    {"min_length", WHOLE, .max = 3000},
    {"max_length", WHOLE, .min = 1, .max = 3000},
    {"dispatch_action_config", OBJECT(dispatch), .def = ON_ENTER},
    FOCUS};
static const struct field rich_input[] = {ACTION_ID,
                                          PLACEHOLDER,
                                          {"initial_value", TYPED(rich_blocks)},
                                          {"min_lines", NATURAL},
                                          {"max_lines", NATURAL},
                                          DISPATCH,
                                          FOCUS};
static const struct field number_input[] = {ACTION_ID,
                                            PLACEHOLDER,
                                            {"is_decimal_allowed", FLAG, NEEDED},
                                            {"initial_value", STRING},
                                            {"min_value", STRING},
                                            {"max_value", STRING},
                                            DISPATCH,
                                            FOCUS};
static const struct field file_input[] = {
    ACTION_ID, {"filetypes", STRINGS}, {"max_files", WHOLE, .min = 1, .max = 10}};
static const struct field picture[] = {{"image_url", PICTURE, .max = 3000},
                                       {"slack_file", OBJECT(slack_file), .mark = SL_HOSTED},
                                       {"alt_text", STRING, NEEDED, .max = 2000}};

#define CHOOSING IN_SECTION | IN_ACTIONS | IN_INPUT
static const struct schema elements[] = {
    {"button", FIELDS(button), .mark = IN_SECTION | IN_ACTIONS | IN_CARD | IN_CELL},
    {"static_select", FIELDS(select), .needs = "options option_groups", .mark = CHOOSING},
    {"multi_static_select", FIELDS(multi_select), .needs = "options option_groups",
     .mark = CHOOSING},
    {"external_select", FIELDS(external), .mark = CHOOSING},
    {"multi_external_select", FIELDS(multi_external), .mark = CHOOSING},
    {"users_select", FIELDS(users), .mark = CHOOSING},
    {"multi_users_select", FIELDS(multi_users), .mark = CHOOSING},
    {"conversations_select", FIELDS(conversations), .mark = CHOOSING},
    {"multi_conversations_select", FIELDS(multi_conversations), .mark = CHOOSING},
    {"channels_select", FIELDS(channels), .mark = CHOOSING},
    {"multi_channels_select", FIELDS(multi_channels), .mark = CHOOSING},
    {"overflow", FIELDS(overflow), .mark = IN_SECTION | IN_ACTIONS},
    {"datepicker", FIELDS(datepicker), .mark = CHOOSING},
    {"timepicker", FIELDS(timepicker), .mark = CHOOSING},
    {"datetimepicker", FIELDS(datetimepicker), .mark = IN_ACTIONS | IN_INPUT},
    {"radio_buttons", FIELDS(radio), .mark = CHOOSING},
    {"checkboxes", FIELDS(boxes), .mark = CHOOSING},
    {"plain_text_input", FIELDS(text_input), .mark = IN_INPUT},
    {"rich_text_input", FIELDS(rich_input),
     .mark = IN_ACTIONS | IN_INPUT | ONLY(SL_MODAL | SL_HOME)},
    {"email_text_input", FIELDS(line), .mark = IN_INPUT},
    {"url_text_input", FIELDS(line), .mark = IN_INPUT},
    {"number_input", FIELDS(number_input), .mark = IN_INPUT},
    {"file_input", FIELDS(file_input), .mark = IN_INPUT | ONLY(SL_MODAL)},
    {"image", FIELDS(picture), .needs = "image_url slack_file", .mark = IN_SECTION},
    {"workflow_button", FIELDS(workflow_button),
     .mark = IN_SECTION | IN_ACTIONS | ONLY(SL_MESSAGE)},
    {"feedback_buttons", FIELDS(feedback), .mark = IN_CONTEXT_ACTIONS | ONLY(SL_MESSAGE)},
    {"icon_button", FIELDS(icon), .mark = IN_CONTEXT_ACTIONS | ONLY(SL_MESSAGE)},
    END("block_element"),
};
static const struct schema pictures[] = {
    {"image", FIELDS(picture), .needs = "image_url slack_file"}, END("block_image")};

/* ---- tables and charts ---- */

static const struct field raw_text[] = {{"text", STRING, NEEDED, .min = 1}};
static const struct field raw_number[] = {{"value", "number", NEEDED}, {"text", STRING, .min = 1}};
static const struct schema cells[] = {{"raw_text", FIELDS(raw_text)},
                                      {"raw_number", FIELDS(raw_number)},
                                      {"rich_text", FIELDS(rich_text)},
                                      END("table_cell")};
/* A button, and what is shown where there can be none. */
static const struct schema cell_fallbacks[] = {
    {"raw_text", FIELDS(raw_text)}, {"raw_number", FIELDS(raw_number)}, END("table_fallback")};
static const struct field action_cell[] = {{"element", TYPED(elements), .mark = IN_CELL, NEEDED},
                                           {"fallback", TYPED(cell_fallbacks)}};
static const struct schema data_cells[] = {{"raw_text", FIELDS(raw_text)},
                                           {"raw_number", FIELDS(raw_number)},
                                           {"rich_text", FIELDS(rich_text)},
                                           {"action_cell", FIELDS(action_cell)},
                                           END("data_table_cell")};
static const struct field column_members[] = {
    {"align", "string", .values = ONE_OF("left", "center", "right")}, {"is_wrapped", FLAG}};
static const struct schema column = {.fields = FIELDS(column_members)};
static const struct field cells_row = {"", TYPEDS(cells), .most = 20};
static const struct field data_cells_row = {"", TYPEDS(data_cells), .most = 20};
static const struct field table[] = {{"rows", LISTS(cells_row), NEEDED, .least = 1, .most = 100},
                                     {"column_settings", OBJECTS(column), .most = 20},
                                     BLOCK_ID};
static const struct field data_table[] = {
    {"rows", LISTS(data_cells_row), NEEDED, .least = 1, .most = 201},
    {"caption", STRING, NEEDED},
    {"page_size", WHOLE, .min = 1, .max = 100},
    {"row_header_column_index", NATURAL},
    BLOCK_ID};

static const struct field segment_members[] = {{"label", STRING, NEEDED, .max = 20},
                                               {"value", "number", NEEDED}};
static const struct schema segment = {.fields = FIELDS(segment_members)};
static const struct field series_members[] = {
    {"name", STRING, NEEDED, .max = 20},
    {"data", OBJECTS(segment), NEEDED, .least = 1, .most = 20}};
static const struct schema series = {.fields = FIELDS(series_members)};
static const struct field axis_members[] = {{"categories", STRINGS, NEEDED},
                                            {"x_label", STRING, .max = 50},
                                            {"y_label", STRING, .max = 50}};
static const struct schema axis = {.fields = FIELDS(axis_members)};
static const struct field pie[] = {{"segments", OBJECTS(segment), NEEDED, .least = 1, .most = 12}};
static const struct field graph[] = {{"series", OBJECTS(series), NEEDED, .least = 1, .most = 12},
                                     {"axis_config", OBJECT(axis), NEEDED}};
static const struct schema charts[] = {{"pie", FIELDS(pie)},
                                       {"bar", FIELDS(graph)},
                                       {"area", FIELDS(graph)},
                                       {"line", FIELDS(graph)},
                                       END("chart")};
static const struct field visualization[] = {
    {"title", STRING, NEEDED, .max = 50}, {"chart", TYPED(charts), NEEDED}, BLOCK_ID};

/* ---- tasks ---- */

static const struct field source[] = {{"url", STRING, NEEDED}, {"text", STRING, NEEDED}};
static const struct schema sources[] = {
    {"url", FIELDS(source)}, {"url_source", FIELDS(source)}, END("task_source")};
#define TASK(states)                                                                               \
    {"task_id", STRING, NEEDED}, {"title", STRING, NEEDED},                                        \
        {"status", "string", .values = states}, {"details", TYPED(rich_blocks)},                   \
        {"output", TYPED(rich_blocks)}, {"sources", TYPEDS(sources)}, {"hide_title", FLAG},        \
        {"icon", OBJECT(slack_icon)}, BLOCK_ID
static const struct field task_card[] = {TASK(ONE_OF("in_progress", "complete", "error"))};
static const struct field task_members[] = {
    TASK(ONE_OF("pending", "in_progress", "complete", "error")),
    {"type", "string", .values = ONE_OF("task_card")}};
static const struct schema task = {.fields = FIELDS(task_members)};
static const struct field plan[] = {
    {"title", STRING, NEEDED},
    {"tasks", OBJECTS(task), .mark = SL_TASKS, .most = 50},
    {"status", "string", .values = ONE_OF("pending", "in_progress", "complete", "error")},
    BLOCK_ID};

/* ---- blocks ---- */

static const struct field section[] = {{"text", TEXT, .max = 3000},
                                       {"fields", TEXTS, .most = 10, .max = 2000},
                                       {"accessory", TYPED(elements), .mark = IN_SECTION},
                                       {"expand", FLAG},
                                       BLOCK_ID};
static const struct field header[] = {
    {"text", PLAIN, NEEDED, .max = 150}, {"level", WHOLE, .min = 1, .max = 4}, BLOCK_ID};
static const struct field divider[] = {BLOCK_ID};
static const struct field image[] = {{"image_url", PICTURE, .max = 3000},
                                     {"slack_file", OBJECT(slack_file), .mark = SL_HOSTED},
                                     {"alt_text", STRING, NEEDED, .max = 2000},
                                     {"title", PLAIN, .max = 2000},
                                     BLOCK_ID};
#define ELEMENTS(number, where)                                                                    \
    {                                                                                              \
        "elements", TYPEDS(elements), .mark = (where), NEEDED, .least = 1, .most = (number)        \
    }
static const struct field actions[] = {ELEMENTS(25, IN_ACTIONS), BLOCK_ID};
/* Text objects are there for documents: where blocks.c finds one it looks at it by itself, and what
 * it says of other types does not name them. */
#define SAID ONLY(SL_SAID)
static const struct schema context_parts[] = {
    {"image", FIELDS(picture), .needs = "image_url slack_file"},
    {"plain_text", FIELDS(plain_text), .mark = SAID},
    {"mrkdwn", FIELDS(marked_text), .mark = SAID},
    END("context_part"),
};
static const struct field context[] = {
    {"elements", TYPEDS(context_parts), .mark = SL_PARTS, NEEDED, .least = 1, .most = 10},
    BLOCK_ID};
static const struct field context_actions[] = {ELEMENTS(5, IN_CONTEXT_ACTIONS), BLOCK_ID};
static const struct field input[] = {{"label", PLAIN, NEEDED, .max = 2000},
                                     {"element", TYPED(elements), .mark = IN_INPUT, NEEDED},
                                     {"hint", PLAIN, .max = 2000},
                                     {"optional", FLAG, .def = "false"},
                                     {"dispatch_action", FLAG, .def = "false"},
                                     BLOCK_ID};
static const struct field file[] = {
    {"external_id", STRING, NEEDED}, {"source", STRING, NEEDED}, BLOCK_ID};
static const struct field video[] = {{"alt_text", STRING, NEEDED, .max = 2000},
                                     {"title", PLAIN, NEEDED, .max = 200},
                                     {"video_url", STRING, NEEDED, .max = 3000},
                                     {"thumbnail_url", STRING, NEEDED, .max = 3000},
                                     {"description", PLAIN, .max = 200},
                                     {"title_url", STRING},
                                     {"author_name", STRING, .max = 50},
                                     {"provider_name", STRING},
                                     {"provider_icon_url", STRING},
                                     BLOCK_ID};
static const struct field markdown[] = {{"text", STRING, NEEDED, .max = 12000}, BLOCK_ID};
static const struct field alert[] = {
    {"text", TEXT, NEEDED, .max = 200},
    {"level", "string", .values = ONE_OF("default", "info", "warning", "error", "success")},
    BLOCK_ID};
static const struct field card[] = {{"hero_image", TYPED(pictures)},
                                    {"icon", TYPED(pictures)},
                                    {"slack_icon", OBJECT(slack_icon)},
                                    {"title", TEXT, .max = 150},
                                    {"subtitle", TEXT, .max = 150},
                                    {"body", TEXT, .max = 200},
                                    {"subtext", TEXT, .max = 200},
                                    {"actions", TYPEDS(elements), .mark = IN_CARD, .most = 3},
                                    BLOCK_ID};
static const struct field carousel[] = {
    {"elements", TYPEDS(sl_block_shapes), .mark = IN_CAROUSEL, NEEDED, .least = 1, .most = 10},
    BLOCK_ID};
static const struct field container[] = {
    {"title", PLAIN, .max = 150},
    {"rich_text_title", TYPED(rich_blocks)},
    {"subtitle", TEXT, .max = 150},
    {"child_blocks", TYPEDS(sl_block_shapes), .mark = IN_CONTAINER, NEEDED, .most = 10},
    {"width", "string", .values = ONE_OF("narrow", "standard", "wide", "full")},
    {"icon", TYPED(pictures)},
    {"is_collapsible", FLAG},
    {"default_collapsed", FLAG},
    {"has_header_divider", FLAG},
    BLOCK_ID};
static const struct field call[] = {
    {"call_id", STRING, NEEDED}, {"api_decoration_available", FLAG}, {"call", "any"}, BLOCK_ID};

#define AT_HOME_TOO SL_MESSAGE | SL_HOME
const struct schema sl_block_shapes[] = {
    {"section", FIELDS(section), .needs = "text fields",
     .missing = "must define either `text` or `fields`", .mark = IN_CONTAINER},
    {"header", FIELDS(header), .mark = IN_CONTAINER},
    {"divider", FIELDS(divider), .mark = IN_CONTAINER},
    {"image", FIELDS(image), .needs = "image_url slack_file", .mark = IN_CONTAINER},
    {"actions", FIELDS(actions), .mark = IN_CONTAINER},
    {"context", FIELDS(context), .mark = IN_CONTAINER},
    {"context_actions", FIELDS(context_actions), .mark = ONLY(SL_MESSAGE)},
    {"input", FIELDS(input), .mark = IN_CONTAINER},
    {"file", FIELDS(file), .mark = IN_CONTAINER | ONLY(SL_MESSAGE)},
    {"video", FIELDS(video), .mark = IN_CONTAINER},
    {"rich_text", FIELDS(rich_text), .mark = IN_CONTAINER},
    {"markdown", FIELDS(markdown), .mark = ONLY(SL_MESSAGE)},
    {"table", FIELDS(table), .mark = IN_CONTAINER | ONLY(AT_HOME_TOO)},
    {"card", FIELDS(card), .needs = "title body hero_image actions", .mark = IN_CAROUSEL},
    {"carousel", FIELDS(carousel), .mark = ONLY(AT_HOME_TOO)},
    {"container", FIELDS(container), .needs = "title rich_text_title", .mark = ONLY(AT_HOME_TOO)},
    {"data_table", FIELDS(data_table), .mark = ONLY(AT_HOME_TOO)},
    {"data_visualization", FIELDS(visualization), .mark = ONLY(SL_MESSAGE)},
    {"alert", FIELDS(alert), .mark = ONLY(SL_MODAL)},
    {"task_card", FIELDS(task_card), .mark = ONLY(SL_MESSAGE)},
    {"plan", FIELDS(plan), .mark = ONLY(SL_MESSAGE)},
    {"call", FIELDS(call), .mark = ONLY(SL_MESSAGE)},
    END("block"),
};

#define BLOCKS(number)                                                                             \
    {                                                                                              \
        .name = "blocks", .type = TYPEDS(sl_block_shapes), .most = (number)                        \
    }
const struct field sl_blocks_field = BLOCKS(SL_MESSAGE_BLOCKS);
const struct field sl_view_blocks_field = BLOCKS(SL_VIEW_BLOCKS);

/* ---- views ---- */

#define VIEW_BLOCKS                                                                                \
    {                                                                                              \
        "blocks", "any", .fields = &sl_view_blocks_field, .n_fields = 1, .mark = SL_BLOCKS, NEEDED \
    }
#define VIEW_DATA                                                                                  \
    {"private_metadata", STRING, .max = 3000}, {"callback_id", STRING, .max = 255},                \
    {                                                                                              \
        "external_id", STRING, .max = 255                                                          \
    }
static const struct field modal[] = {{"type", "any"},
                                     {"title", PLAIN, NEEDED, .max = 24},
                                     VIEW_BLOCKS,
                                     {"close", PLAIN, .max = 24},
                                     {"submit", PLAIN, .max = 24},
                                     VIEW_DATA,
                                     {"clear_on_close", FLAG},
                                     {"notify_on_close", FLAG}};
static const struct field home[] = {{"type", "any"}, VIEW_BLOCKS, VIEW_DATA};
static const struct schema modal_views[] = {{"modal", FIELDS(modal)}, END("modal_view")};
static const struct schema home_views[] = {{"home", FIELDS(home)}, END("home_view")};
static const struct schema views[] = {
    {"modal", FIELDS(modal)}, {"home", FIELDS(home)}, END("view")};
const struct field sl_modal_field = {"view", TYPED(modal_views)};
const struct field sl_home_field = {"view", TYPED(home_views)};
const struct field sl_view_field = {"view", TYPED(views)};
