/* SPDX-License-Identifier: Apache-2.0 */
/* A shape for each type of block and of element, with its members, their kinds and limits
 * (docs.slack.dev, Block Kit reference; the types of Slack's own SDK). What is not in a shape is
 * refused. */
#include "services/chat/slack/blocks/blocks_impl.h"

#define END                                                                                        \
    {                                                                                              \
        NULL                                                                                       \
    }
#define BLOCK_ID                                                                                   \
    {                                                                                              \
        "block_id", K_STRING, .max = 255                                                           \
    }
#define ACTION_ID                                                                                  \
    {                                                                                              \
        "action_id", K_STRING, .max = 255                                                          \
    }

/* ---- what elements are made of ---- */

static const struct member confirm_members[] = {{"title", K_PLAIN, true, .max = 100},
                                                {"text", K_TEXT, true, .max = 300},
                                                {"confirm", K_PLAIN, .max = 30},
                                                {"deny", K_PLAIN, .max = 30},
                                                {"style", K_ENUM, .words = "primary danger"},
                                                END};
static const struct shape confirm = {.members = confirm_members};

#define OPTION(texts)                                                                              \
    {"text", texts, true, .max = 75}, {"value", K_STRING, true, .max = 150},                       \
    {                                                                                              \
        "description", texts, .max = 75                                                            \
    }
static const struct member option_members[] = {OPTION(K_TEXT), END};
static const struct member menu_members[] = {OPTION(K_LABEL), END};
static const struct member overflow_members[] = {
    OPTION(K_LABEL), {"url", K_STRING, .max = 3000}, END};
static const struct shape option = {.members = option_members};
static const struct shape menu = {.members = menu_members};
static const struct shape overflow_option = {.members = overflow_members};

static const struct member group_members[] = {
    {"label", K_PLAIN, true, .max = 75},
    {"options", K_LIST, true, .max = 100, .inner = 1, .of = &menu},
    END};
static const struct shape group = {.members = group_members};

static const struct member filter_members[] = {{"include", K_STRINGS},
                                               {"exclude_external_shared_channels", K_BOOL},
                                               {"exclude_bot_users", K_BOOL},
                                               END};
static const struct shape filter = {.members = filter_members};
static const struct member dispatch_members[] = {{"trigger_actions_on", K_STRINGS}, END};
static const struct shape dispatch = {.members = dispatch_members};
static const struct member slack_file_members[] = {{"id", K_STRING}, {"url", K_STRING}, END};
static const struct shape slack_file = {.members = slack_file_members, .one_of = "id url"};

static const struct member slack_icon_members[] = {
    {"type", K_ENUM, true, .words = "icon"}, {"name", K_STRING, true}, END};
static const struct shape slack_icon = {.members = slack_icon_members};

static const struct member input_parameter_members[] = {
    {"name", K_STRING, true}, {"value", K_ANY, true}, END};
static const struct shape input_parameter = {.members = input_parameter_members};
static const struct member trigger_members[] = {
    {"url", K_STRING, true},
    {"customizable_input_parameters", K_LIST, .of = &input_parameter},
    END};
static const struct shape trigger = {.members = trigger_members};
static const struct member workflow_members[] = {{"trigger", K_OBJECT, true, .of = &trigger}, END};
static const struct shape workflow = {.members = workflow_members};

#define CONFIRM                                                                                    \
    {                                                                                              \
        "confirm", K_OBJECT, .of = &confirm                                                        \
    }
#define PLACEHOLDER                                                                                \
    {                                                                                              \
        "placeholder", K_PLAIN, .max = 150                                                         \
    }
#define FOCUS                                                                                      \
    {                                                                                              \
        "focus_on_load", K_BOOL                                                                    \
    }
#define DISPATCH                                                                                   \
    {                                                                                              \
        "dispatch_action_config", K_OBJECT, .of = &dispatch                                        \
    }
#define ON_ENTER "{\"trigger_actions_on\":[\"on_enter_pressed\"]}"
#define RESPONSE_URL                                                                               \
    {                                                                                              \
        "response_url_enabled", K_BOOL                                                             \
    }
#define MOST                                                                                       \
    {                                                                                              \
        "max_selected_items", K_INT, .inner = 1                                                    \
    }

/* ---- rich text ---- */

static const struct member style_members[] = {
    {"bold", K_BOOL},   {"italic", K_BOOL},           {"strike", K_BOOL},
    {"code", K_BOOL},   {"underline", K_BOOL},        {"highlight", K_BOOL},
    {"unlink", K_BOOL}, {"client_highlight", K_BOOL}, END};
static const struct shape style = {.members = style_members};
#define STYLE                                                                                      \
    {                                                                                              \
        "style", K_OBJECT, .of = &style                                                            \
    }
static const struct member rich_plain[] = {{"text", K_STRING, true, .inner = 1}, STYLE, END};
static const struct member rich_link[] = {{"url", K_STRING, true},
                                          {"text", K_STRING},
                                          {"unsafe", K_BOOL},
                                          {"from_llm", K_BOOL},
                                          {"is_slack_url", K_BOOL},
                                          {"truncated", K_BOOL},
                                          STYLE,
                                          END};
static const struct member rich_user[] = {
    {"user_id", K_STRING, true}, {"from_llm", K_BOOL}, STYLE, END};
static const struct member rich_group[] = {{"usergroup_id", K_STRING, true}, STYLE, END};
static const struct member rich_channel[] = {
    {"channel_id", K_STRING, true}, {"tab_id", K_STRING}, {"from_llm", K_BOOL}, STYLE, END};
static const struct member rich_team[] = {{"team_id", K_STRING, true}, STYLE, END};
static const struct member rich_emoji[] = {{"name", K_STRING, true},
                                           {"unicode", K_STRING},
                                           {"skin_tone", K_INT},
                                           {"url", K_STRING},
                                           {"display_url", K_ANY},
                                           {"display_team_id", K_ANY},
                                           STYLE,
                                           END};
static const struct member rich_date[] = {{"timestamp", K_INT, true},
                                          {"format", K_STRING, true},
                                          {"timezone", K_STRING},
                                          {"url", K_STRING},
                                          {"fallback", K_STRING},
                                          STYLE,
                                          END};
static const struct member rich_broadcast[] = {
    {"range", K_ENUM, true, .words = "here channel everyone"}, STYLE, END};
static const struct member rich_color[] = {{"value", K_STRING, true}, STYLE, END};
static const struct member rich_tag[] = {
    {"text", K_STRING, true},
    {"color", K_ENUM, .words = "gray brown purple indigo blue green yellow orange red"},
    STYLE,
    END};

/* What a client makes a reference to. */
#define TITLED {"text", K_STRING}, {"url", K_STRING}, STYLE
static const struct member rich_file[] = {
    {"file_id", K_STRING, true}, {"is_skill_invocation", K_BOOL}, TITLED, END};
static const struct member rich_canvas[] = {{"file_id", K_STRING, true},
                                            {"label", K_STRING},
                                            {"hide_title", K_BOOL},
                                            {"section_id", K_STRING},
                                            {"is_skill_invocation", K_BOOL},
                                            TITLED,
                                            END};
static const struct member rich_canvas_user[] = {
    {"user_id", K_STRING, true}, {"thread_id", K_STRING}, STYLE, END};
static const struct member rich_canvas_message[] = {
    {"root_message_ts", K_STRING, true}, {"root_message_channel", K_STRING, true}, STYLE, END};
static const struct member rich_record[] = {
    {"file_id", K_STRING, true}, {"record_id", K_STRING}, {"view_id", K_STRING}, TITLED, END};
static const struct member rich_message[] = {{"channel_id", K_STRING, true},
                                             {"message_ts", K_STRING, true},
                                             {"author_id", K_STRING},
                                             {"thread_ts", K_STRING},
                                             TITLED,
                                             END};
static const struct member rich_attachment[] = {{"url", K_STRING, true},
                                                {"text", K_STRING},
                                                {"app_id", K_STRING},
                                                {"entity_id", K_STRING},
                                                {"icon_url", K_STRING},
                                                {"channel_id", K_STRING},
                                                {"ts", K_STRING},
                                                {"full_size_preview_enabled", K_BOOL},
                                                {"icon_name", K_STRING},
                                                {"reference_object_type", K_STRING},
                                                {"product_name", K_STRING},
                                                STYLE,
                                                END};
static const struct member rich_work_object[] = {{"entity_id", K_STRING, true},
                                                 {"app_id", K_STRING, true},
                                                 {"text", K_STRING, true},
                                                 {"url", K_STRING, true},
                                                 {"icon_url", K_STRING},
                                                 {"full_size_preview_enabled", K_BOOL},
                                                 {"product_name", K_STRING},
                                                 STYLE,
                                                 END};
static const struct member rich_workflow[] = {{"workflow_id", K_STRING, true},
                                              {"function_trigger_id", K_STRING, true},
                                              {"text", K_STRING, true},
                                              {"url", K_STRING},
                                              {"channel_id", K_STRING},
                                              {"ts", K_STRING},
                                              STYLE,
                                              END};
static const struct member rich_salesforce[] = {{"salesforce_record_id", K_STRING, true},
                                                {"salesforce_field_label", K_STRING},
                                                {"salesforce_field_api_name", K_STRING},
                                                {"salesforce_include_field_label", K_BOOL},
                                                STYLE,
                                                END};
/* Of each citation_type some. */
static const struct member cited_members[] = {
    {"citation_type", K_ENUM, true, .words = "file external web message memory"},
    {"descriptor", K_STRING},
    {"file_id", K_STRING},
    {"app_name", K_STRING},
    {"app_icon_url", K_STRING},
    {"display_name", K_STRING},
    {"title", K_STRING},
    {"snippet", K_STRING},
    {"channel", K_STRING},
    {"message_ts", K_STRING},
    {"memory_id", K_STRING},
    END};
static const struct shape cited = {.members = cited_members};
static const struct member rich_citation[] = {{"url", K_STRING, true},
                                              {"text", K_STRING, true},
                                              {"index", K_NUMBER, true},
                                              {"details", K_OBJECT, true, .of = &cited},
                                              {"from_llm", K_BOOL},
                                              {"is_slack_url", K_BOOL},
                                              END};
static const struct shape rich_elements[] = {
    {"text", rich_plain},
    {"link", rich_link},
    {"user", rich_user},
    {"usergroup", rich_group},
    {"channel", rich_channel},
    {"team", rich_team},
    {"emoji", rich_emoji},
    {"date", rich_date},
    {"broadcast", rich_broadcast},
    {"color", rich_color},
    {"tag", rich_tag},
    {"file", rich_file},
    {"canvas", rich_canvas},
    {"canvas_user_mention", rich_canvas_user},
    {"canvas_message_unfurl", rich_canvas_message},
    {"list_record", rich_record},
    {"message_mention", rich_message},
    {"attachment_mention", rich_attachment},
    {"work_object_mention", rich_work_object},
    {"workflow_mention", rich_workflow},
    {"salesforce_data_field", rich_salesforce},
    {"citation", rich_citation},
    {NULL},
};
static const struct shape code_elements[] = {{"text", rich_plain}, {"link", rich_link}, {NULL}};

#define BORDER                                                                                     \
    {                                                                                              \
        "border", K_INT, .max = 1                                                                  \
    }
static const struct member rich_section[] = {{"elements", K_TYPEDS, true, .of = rich_elements},
                                             END};
const struct shape sl_list_items[] = {{"rich_text_section", rich_section}, {NULL}};
static const struct member rich_list[] = {{"elements", K_TYPEDS, true, .of = sl_list_items},
                                          {"style", K_ENUM, true, .words = "bullet ordered"},
                                          {"indent", K_INT, .max = 8},
                                          {"offset", K_INT},
                                          BORDER,
                                          END};
static const struct member rich_quote[] = {
    {"elements", K_TYPEDS, true, .of = rich_elements}, BORDER, END};
static const struct member rich_code[] = {
    {"elements", K_TYPEDS, true, .of = code_elements}, {"language", K_STRING}, BORDER, END};
static const struct shape rich_parts[] = {
    {"rich_text_section", rich_section},
    {"rich_text_list", rich_list},
    {"rich_text_quote", rich_quote},
    {"rich_text_preformatted", rich_code},
    {NULL},
};
static const struct member rich_text[] = {
    {"elements", K_TYPEDS, true, .of = rich_parts}, BLOCK_ID, END};
static const struct shape rich_blocks[] = {{"rich_text", rich_text}, {NULL}};
#define RICH .of = rich_blocks

/* ---- elements ---- */

#define STYLE_OF_BUTTON                                                                            \
    {                                                                                              \
        "style", K_ENUM, .words = "primary danger"                                                 \
    }
static const struct member button[] = {{"text", K_PLAIN, true, .max = 75},
                                       ACTION_ID,
                                       {"url", K_STRING, .max = 3000},
                                       {"value", K_STRING, .max = 2000},
                                       STYLE_OF_BUTTON,
                                       {"accessibility_label", K_STRING, .max = 75},
                                       CONFIRM,
                                       END};
static const struct member workflow_button[] = {{"text", K_PLAIN, true, .max = 75},
                                                {"workflow", K_OBJECT, true, .of = &workflow},
                                                ACTION_ID,
                                                STYLE_OF_BUTTON,
                                                {"accessibility_label", K_STRING, .max = 75},
                                                CONFIRM,
                                                END};
static const struct member icon[] = {{"icon", K_STRING, true},
                                     {"text", K_PLAIN, true, .max = 75},
                                     ACTION_ID,
                                     {"value", K_STRING, .max = 2000},
                                     {"accessibility_label", K_STRING, .max = 75},
                                     {"visible_to_user_ids", K_STRINGS},
                                     CONFIRM,
                                     END};
static const struct member thumb_members[] = {{"text", K_PLAIN, true, .max = 75},
                                              {"value", K_STRING, true, .max = 2000},
                                              {"accessibility_label", K_STRING, .max = 75},
                                              END};
static const struct shape thumb = {.members = thumb_members};
static const struct member feedback[] = {{"positive_button", K_OBJECT, true, .of = &thumb},
                                         {"negative_button", K_OBJECT, true, .of = &thumb},
                                         ACTION_ID,
                                         END};

#define OF_OPTIONS                                                                                 \
    ACTION_ID, PLACEHOLDER, {"options", K_LIST, .max = 100, .inner = 1, .of = &menu},              \
        {"option_groups", K_LIST, .max = 100, .of = &group}, CONFIRM, FOCUS
static const struct member select[] = {OF_OPTIONS, {"initial_option", K_CHOICE, .of = &menu}, END};
static const struct member multi_select[] = {
    OF_OPTIONS, {"initial_options", K_CHOICES, .max = 100, .of = &menu}, MOST, END};
#define FROM_ELSEWHERE ACTION_ID, PLACEHOLDER, {"min_query_length", K_INT}, CONFIRM, FOCUS
static const struct member external[] = {
    FROM_ELSEWHERE, {"initial_option", K_CHOICE, .of = &menu}, END};
static const struct member multi_external[] = {
    FROM_ELSEWHERE, {"initial_options", K_CHOICES, .max = 100, .of = &menu}, MOST, END};
static const struct member users[] = {ACTION_ID, PLACEHOLDER, {"initial_user", K_STRING},
                                      CONFIRM,   FOCUS,       END};
static const struct member multi_users[] = {
    ACTION_ID, PLACEHOLDER, {"initial_users", K_STRINGS}, MOST, CONFIRM, FOCUS, END};
#define CONVERSATIONS                                                                              \
    ACTION_ID, PLACEHOLDER, {"default_to_current_conversation", K_BOOL},                           \
        {"filter", K_OBJECT, .of = &filter}, CONFIRM, FOCUS
static const struct member conversations[] = {
    CONVERSATIONS, {"initial_conversation", K_STRING}, RESPONSE_URL, END};
static const struct member multi_conversations[] = {
    CONVERSATIONS, {"initial_conversations", K_STRINGS}, MOST, END};
static const struct member channels[] = {
    ACTION_ID, PLACEHOLDER, {"initial_channel", K_STRING}, RESPONSE_URL, CONFIRM, FOCUS, END};
static const struct member multi_channels[] = {
    ACTION_ID, PLACEHOLDER, {"initial_channels", K_STRINGS}, MOST, CONFIRM, FOCUS, END};
static const struct member overflow[] = {
    ACTION_ID,
    {"options", K_LIST, true, .max = 5, .inner = 1, .of = &overflow_option},
    CONFIRM,
    END};
static const struct member radio[] = {
    ACTION_ID,
    {"options", K_LIST, true, .max = 10, .inner = 1, .of = &option},
    {"initial_option", K_CHOICE, .of = &option},
    CONFIRM,
    FOCUS,
    END};
static const struct member boxes[] = {
    ACTION_ID,
    {"options", K_LIST, true, .max = 10, .inner = 1, .of = &option},
    {"initial_options", K_CHOICES, .max = 10, .of = &option},
    CONFIRM,
    FOCUS,
    END};
static const struct member datepicker[] = {ACTION_ID, PLACEHOLDER, {"initial_date", K_DATE},
                                           CONFIRM,   FOCUS,       END};
static const struct member timepicker[] = {
    ACTION_ID, PLACEHOLDER, {"initial_time", K_CLOCK}, {"timezone", K_STRING}, CONFIRM, FOCUS, END};
static const struct member datetimepicker[] = {
    ACTION_ID, {"initial_date_time", K_SECOND}, CONFIRM, FOCUS, END};
static const struct member line[] = {
    ACTION_ID, PLACEHOLDER, {"initial_value", K_STRING, .max = 3000}, DISPATCH, FOCUS, END};
static const struct member text_input[] = {
    ACTION_ID,
    PLACEHOLDER,
    {"initial_value", K_STRING, .max = 3000},
    {"multiline", K_BOOL},
    {"min_length", K_INT, .max = 3000},
    {"max_length", K_INT, .max = 3000, .inner = 1},
    {"dispatch_action_config", K_OBJECT, .of = &dispatch, .filled = ON_ENTER},
    FOCUS,
    END};
static const struct member rich_input[] = {ACTION_ID,
                                           PLACEHOLDER,
                                           {"initial_value", K_TYPED, RICH},
                                           {"min_lines", K_INT},
                                           {"max_lines", K_INT},
                                           DISPATCH,
                                           FOCUS,
                                           END};
static const struct member number_input[] = {ACTION_ID,
                                             PLACEHOLDER,
                                             {"is_decimal_allowed", K_BOOL, true},
                                             {"initial_value", K_STRING},
                                             {"min_value", K_STRING},
                                             {"max_value", K_STRING},
                                             DISPATCH,
                                             FOCUS,
                                             END};
static const struct member file_input[] = {
    ACTION_ID, {"filetypes", K_STRINGS}, {"max_files", K_INT, .max = 10, .inner = 1}, END};
static const struct member picture[] = {{"image_url", K_PICTURE, .max = 3000},
                                        {"slack_file", K_HOSTED, .of = &slack_file},
                                        {"alt_text", K_STRING, true, .max = 2000},
                                        END};

#define CHOOSING IN_SECTION | IN_ACTIONS | IN_INPUT
static const struct shape elements[] = {
    {"button", button, .places = IN_SECTION | IN_ACTIONS | IN_CARD | IN_CELL},
    {"static_select", select, "options option_groups", .places = CHOOSING},
    {"multi_static_select", multi_select, "options option_groups", .places = CHOOSING},
    {"external_select", external, .places = CHOOSING},
    {"multi_external_select", multi_external, .places = CHOOSING},
    {"users_select", users, .places = CHOOSING},
    {"multi_users_select", multi_users, .places = CHOOSING},
    {"conversations_select", conversations, .places = CHOOSING},
    {"multi_conversations_select", multi_conversations, .places = CHOOSING},
    {"channels_select", channels, .places = CHOOSING},
    {"multi_channels_select", multi_channels, .places = CHOOSING},
    {"overflow", overflow, .places = IN_SECTION | IN_ACTIONS},
    {"datepicker", datepicker, .places = CHOOSING},
    {"timepicker", timepicker, .places = CHOOSING},
    {"datetimepicker", datetimepicker, .places = IN_ACTIONS | IN_INPUT},
    {"radio_buttons", radio, .places = CHOOSING},
    {"checkboxes", boxes, .places = CHOOSING},
    {"plain_text_input", text_input, .places = IN_INPUT},
    {"rich_text_input", rich_input, .only = SL_MODAL | SL_HOME, .places = IN_ACTIONS | IN_INPUT},
    {"email_text_input", line, .places = IN_INPUT},
    {"url_text_input", line, .places = IN_INPUT},
    {"number_input", number_input, .places = IN_INPUT},
    {"file_input", file_input, .only = SL_MODAL, .places = IN_INPUT},
    {"image", picture, "image_url slack_file", .places = IN_SECTION},
    {"workflow_button", workflow_button, .only = SL_MESSAGE, .places = IN_SECTION | IN_ACTIONS},
    {"feedback_buttons", feedback, .only = SL_MESSAGE, .places = IN_CONTEXT_ACTIONS},
    {"icon_button", icon, .only = SL_MESSAGE, .places = IN_CONTEXT_ACTIONS},
    {NULL},
};
static const struct shape pictures[] = {{"image", picture, "image_url slack_file"}, {NULL}};

/* ---- tables and charts ---- */

static const struct member raw_text[] = {{"text", K_STRING, true, .inner = 1}, END};
static const struct member raw_number[] = {
    {"value", K_NUMBER, true}, {"text", K_STRING, .inner = 1}, END};
static const struct shape cells[] = {
    {"raw_text", raw_text}, {"raw_number", raw_number}, {"rich_text", rich_text}, {NULL}};
/* A button, and what is shown where there can be none. */
static const struct shape cell_fallbacks[] = {
    {"raw_text", raw_text}, {"raw_number", raw_number}, {NULL}};
static const struct member action_cell[] = {
    {"element", K_TYPED, true, .of = elements, .place = IN_CELL},
    {"fallback", K_TYPED, .of = cell_fallbacks},
    END};
static const struct shape data_cells[] = {{"raw_text", raw_text},
                                          {"raw_number", raw_number},
                                          {"rich_text", rich_text},
                                          {"action_cell", action_cell},
                                          {NULL}};
static const struct member column_members[] = {
    {"align", K_ENUM, .words = "left center right"}, {"is_wrapped", K_BOOL}, END};
static const struct shape column = {.members = column_members};
static const struct member table[] = {{"rows", K_CELLS, true, .max = 100, .inner = 20, .of = cells},
                                      {"column_settings", K_LIST, .max = 20, .of = &column},
                                      BLOCK_ID,
                                      END};
static const struct member data_table[] = {
    {"rows", K_CELLS, true, .max = 201, .inner = 20, .of = data_cells},
    {"caption", K_STRING, true},
    {"page_size", K_INT, .max = 100, .inner = 1},
    {"row_header_column_index", K_INT},
    BLOCK_ID,
    END};

static const struct member segment_members[] = {
    {"label", K_STRING, true, .max = 20}, {"value", K_NUMBER, true}, END};
static const struct shape segment = {.members = segment_members};
static const struct member series_members[] = {
    {"name", K_STRING, true, .max = 20},
    {"data", K_LIST, true, .max = 20, .inner = 1, .of = &segment},
    END};
static const struct shape series = {.members = series_members};
static const struct member axis_members[] = {{"categories", K_STRINGS, true},
                                             {"x_label", K_STRING, .max = 50},
                                             {"y_label", K_STRING, .max = 50},
                                             END};
static const struct shape axis = {.members = axis_members};
static const struct member pie[] = {
    {"segments", K_LIST, true, .max = 12, .inner = 1, .of = &segment}, END};
static const struct member graph[] = {
    {"series", K_LIST, true, .max = 12, .inner = 1, .of = &series},
    {"axis_config", K_OBJECT, true, .of = &axis},
    END};
static const struct shape charts[] = {
    {"pie", pie}, {"bar", graph}, {"area", graph}, {"line", graph}, {NULL}};
static const struct member visualization[] = {
    {"title", K_STRING, true, .max = 50}, {"chart", K_TYPED, true, .of = charts}, BLOCK_ID, END};

/* ---- tasks ---- */

static const struct member source[] = {{"url", K_STRING, true}, {"text", K_STRING, true}, END};
static const struct shape sources[] = {{"url", source}, {"url_source", source}, {NULL}};
#define TASK(states)                                                                               \
    {"task_id", K_STRING, true}, {"title", K_STRING, true}, {"status", K_ENUM, .words = states},   \
        {"details", K_TYPED, RICH}, {"output", K_TYPED, RICH},                                     \
        {"sources", K_TYPEDS, .of = sources}, {"hide_title", K_BOOL},                              \
        {"icon", K_OBJECT, .of = &slack_icon}, BLOCK_ID
static const struct member task_card[] = {TASK("in_progress complete error"), END};
static const struct member task_members[] = {
    TASK("pending in_progress complete error"), {"type", K_ENUM, .words = "task_card"}, END};
static const struct shape task = {.members = task_members};
static const struct member plan[] = {
    {"title", K_STRING, true},
    {"tasks", K_TASKS, .max = 50, .of = &task},
    {"status", K_ENUM, .words = "pending in_progress complete error"},
    BLOCK_ID,
    END};

/* ---- blocks ---- */

static const struct member section[] = {{"text", K_TEXT, .max = 3000},
                                        {"fields", K_TEXTS, .max = 10, .inner = 2000},
                                        {"accessory", K_TYPED, .of = elements, .place = IN_SECTION},
                                        {"expand", K_BOOL},
                                        BLOCK_ID,
                                        END};
static const struct member header[] = {
    {"text", K_PLAIN, true, .max = 150}, {"level", K_INT, .max = 4, .inner = 1}, BLOCK_ID, END};
static const struct member divider[] = {BLOCK_ID, END};
static const struct member image[] = {{"image_url", K_PICTURE, .max = 3000},
                                      {"slack_file", K_HOSTED, .of = &slack_file},
                                      {"alt_text", K_STRING, true, .max = 2000},
                                      {"title", K_PLAIN, .max = 2000},
                                      BLOCK_ID,
                                      END};
#define ELEMENTS(most, where)                                                                      \
    {                                                                                              \
        "elements", K_TYPEDS, true, .max = (most), .inner = 1, .of = elements, .place = (where)    \
    }
static const struct member actions[] = {ELEMENTS(25, IN_ACTIONS), BLOCK_ID, END};
static const struct member context[] = {
    {"elements", K_PARTS, true, .max = 10, .inner = 1, .of = pictures}, BLOCK_ID, END};
static const struct member context_actions[] = {ELEMENTS(5, IN_CONTEXT_ACTIONS), BLOCK_ID, END};
static const struct member input[] = {{"label", K_PLAIN, true, .max = 2000},
                                      {"element", K_TYPED, true, .of = elements, .place = IN_INPUT},
                                      {"hint", K_PLAIN, .max = 2000},
                                      {"optional", K_BOOL, .filled = "false"},
                                      {"dispatch_action", K_BOOL, .filled = "false"},
                                      BLOCK_ID,
                                      END};
static const struct member file[] = {
    {"external_id", K_STRING, true}, {"source", K_STRING, true}, BLOCK_ID, END};
static const struct member video[] = {{"alt_text", K_STRING, true, .max = 2000},
                                      {"title", K_PLAIN, true, .max = 200},
                                      {"video_url", K_STRING, true, .max = 3000},
                                      {"thumbnail_url", K_STRING, true, .max = 3000},
                                      {"description", K_PLAIN, .max = 200},
                                      {"title_url", K_STRING},
                                      {"author_name", K_STRING, .max = 50},
                                      {"provider_name", K_STRING},
                                      {"provider_icon_url", K_STRING},
                                      BLOCK_ID,
                                      END};
static const struct member markdown[] = {{"text", K_STRING, true, .max = 12000}, BLOCK_ID, END};
static const struct member alert[] = {
    {"text", K_TEXT, true, .max = 200},
    {"level", K_ENUM, .words = "default info warning error success"},
    BLOCK_ID,
    END};
static const struct member card[] = {
    {"hero_image", K_TYPED, .of = pictures},
    {"icon", K_TYPED, .of = pictures},
    {"slack_icon", K_OBJECT, .of = &slack_icon},
    {"title", K_TEXT, .max = 150},
    {"subtitle", K_TEXT, .max = 150},
    {"body", K_TEXT, .max = 200},
    {"subtext", K_TEXT, .max = 200},
    {"actions", K_TYPEDS, .max = 3, .of = elements, .place = IN_CARD},
    BLOCK_ID,
    END};
static const struct member carousel[] = {{"elements", K_TYPEDS, true, .max = 10, .inner = 1,
                                          .of = sl_block_shapes, .place = IN_CAROUSEL},
                                         BLOCK_ID,
                                         END};
static const struct member container[] = {
    {"title", K_PLAIN, .max = 150},
    {"rich_text_title", K_TYPED, RICH},
    {"subtitle", K_TEXT, .max = 150},
    {"child_blocks", K_TYPEDS, true, .max = 10, .of = sl_block_shapes, .place = IN_CONTAINER},
    {"width", K_ENUM, .words = "narrow standard wide full"},
    {"icon", K_TYPED, .of = pictures},
    {"is_collapsible", K_BOOL},
    {"default_collapsed", K_BOOL},
    {"has_header_divider", K_BOOL},
    BLOCK_ID,
    END};
static const struct member call[] = {{"call_id", K_STRING, true},
                                     {"api_decoration_available", K_BOOL},
                                     {"call", K_ANY},
                                     BLOCK_ID,
                                     END};

#define AT_HOME_TOO SL_MESSAGE | SL_HOME
const struct shape sl_block_shapes[] = {
    {"section", section, "text fields", "must define either `text` or `fields`",
     .places = IN_CONTAINER},
    {"header", header, .places = IN_CONTAINER},
    {"divider", divider, .places = IN_CONTAINER},
    {"image", image, "image_url slack_file", .places = IN_CONTAINER},
    {"actions", actions, .places = IN_CONTAINER},
    {"context", context, .places = IN_CONTAINER},
    {"context_actions", context_actions, .only = SL_MESSAGE},
    {"input", input, .places = IN_CONTAINER},
    {"file", file, .only = SL_MESSAGE, .places = IN_CONTAINER},
    {"video", video, .places = IN_CONTAINER},
    {"rich_text", rich_text, .places = IN_CONTAINER},
    {"markdown", markdown, .only = SL_MESSAGE},
    {"table", table, .only = AT_HOME_TOO, .places = IN_CONTAINER},
    {"card", card, "title body hero_image actions", .places = IN_CAROUSEL},
    {"carousel", carousel, .only = AT_HOME_TOO},
    {"container", container, "title rich_text_title", .only = AT_HOME_TOO},
    {"data_table", data_table, .only = AT_HOME_TOO},
    {"data_visualization", visualization, .only = SL_MESSAGE},
    {"alert", alert, .only = SL_MODAL},
    {"task_card", task_card, .only = SL_MESSAGE},
    {"plan", plan, .only = SL_MESSAGE},
    {"call", call, .only = SL_MESSAGE},
    {NULL},
};
