/* SPDX-License-Identifier: Apache-2.0 */
/* A shape for each type of block and of element, with its members, their kinds and limits
 * (docs.slack.dev, Block Kit reference; the types of Slack's own SDK). */
#include "services/chat/slack/blocks_impl.h"

#define BLOCK_ID                                                                                   \
    {                                                                                              \
        "block_id", K_STRING, false, 255, 0                                                        \
    }
#define ACTION_ID                                                                                  \
    {                                                                                              \
        "action_id", K_STRING, false, 255, 0                                                       \
    }
#define PLACEHOLDER                                                                                \
    {                                                                                              \
        "placeholder", K_PLAIN, false, 150, 0                                                      \
    }
#define CONFIRM                                                                                    \
    {                                                                                              \
        "confirm", K_CONFIRM, false, 0, 0                                                          \
    }
#define FOCUS                                                                                      \
    {                                                                                              \
        "focus_on_load", K_BOOL, false, 0, 0                                                       \
    }
#define DISPATCH                                                                                   \
    {                                                                                              \
        "dispatch_action_config", K_ANY, false, 0, 0                                               \
    }

static const struct member section[] = {{"text", K_TEXT, false, 3000, 0},
                                        {"fields", K_TEXTS, false, 10, 2000},
                                        {"accessory", K_SHAPE, false, 0, 0},
                                        BLOCK_ID,
                                        {NULL}};
static const struct member header[] = {{"text", K_PLAIN, true, 150, 0}, BLOCK_ID, {NULL}};
static const struct member divider[] = {BLOCK_ID, {NULL}};
static const struct member image[] = {{"image_url", K_STRING, false, 3000, 0},
                                      {"slack_file", K_ANY, false, 0, 0},
                                      {"alt_text", K_STRING, true, 2000, 0},
                                      {"title", K_PLAIN, false, 2000, 0},
                                      BLOCK_ID,
                                      {NULL}};
static const struct member actions[] = {{"elements", K_LIST, true, 25, 0}, BLOCK_ID, {NULL}};
static const struct member context[] = {{"elements", K_LIST, true, 10, 0}, BLOCK_ID, {NULL}};
static const struct member context_actions[] = {{"elements", K_LIST, true, 5, 0}, BLOCK_ID, {NULL}};
static const struct member input[] = {{"label", K_PLAIN, true, 2000, 0},
                                      {"element", K_SHAPE, true, 0, 0},
                                      {"hint", K_PLAIN, false, 2000, 0},
                                      {"optional", K_BOOL, false, 0, 0},
                                      {"dispatch_action", K_BOOL, false, 0, 0},
                                      BLOCK_ID,
                                      {NULL}};
static const struct member file[] = {
    {"external_id", K_STRING, true, 0, 0}, {"source", K_STRING, true, 0, 0}, BLOCK_ID, {NULL}};
static const struct member video[] = {{"alt_text", K_STRING, true, 2000, 0},
                                      {"title", K_PLAIN, true, 200, 0},
                                      {"video_url", K_STRING, true, 3000, 0},
                                      {"thumbnail_url", K_STRING, true, 3000, 0},
                                      {"description", K_PLAIN, false, 200, 0},
                                      BLOCK_ID,
                                      {NULL}};
static const struct member rich_text[] = {{"elements", K_RAW, true, 0, 0}, BLOCK_ID, {NULL}};
static const struct member markdown[] = {{"text", K_STRING, true, 12000, 0}, BLOCK_ID, {NULL}};
static const struct member table[] = {{"rows", K_RAW, true, 100, 0}, BLOCK_ID, {NULL}};

static const struct member card[] = {{"hero_image", K_SHAPE, false, 0, 0},
                                     {"icon", K_SHAPE, false, 0, 0},
                                     {"title", K_TEXT, false, 150, 0},
                                     {"subtitle", K_TEXT, false, 150, 0},
                                     {"body", K_TEXT, false, 200, 0},
                                     {"actions", K_LIST, false, 0, 0},
                                     BLOCK_ID,
                                     {NULL}};
static const struct member carousel[] = {{"elements", K_RAW, true, 10, 0}, BLOCK_ID, {NULL}};
static const struct member container[] = {{"title", K_PLAIN, false, 150, 0},
                                          {"subtitle", K_TEXT, false, 150, 0},
                                          {"child_blocks", K_RAW, true, 10, 0},
                                          BLOCK_ID,
                                          {NULL}};

#define TASK(status)                                                                               \
    {"task_id", K_STRING, true, 0, 0}, {"title", K_STRING, true, 0, 0},                            \
        {"status", status, false, 0, 0}, {"details", K_RICH, false, 0, 0},                         \
        {"output", K_RICH, false, 0, 0}, {"sources", K_SOURCES, false, 0, 0},                      \
    {                                                                                              \
        "hide_title", K_BOOL, false, 0, 0                                                          \
    }
static const struct member task_card[] = {TASK(K_STATUS), BLOCK_ID, {NULL}};
static const struct member step[] = {TASK(K_STEP), BLOCK_ID, {NULL}};
static const struct member plan[] = {
    {"title", K_STRING, true, 0, 0}, {"tasks", K_TASKS, false, 50, 0}, BLOCK_ID, {NULL}};

const struct shape sl_task_shape = {"task_card", step, NULL};

const struct shape sl_block_shapes[] = {
    {"section", section, "text fields"},
    {"header", header, NULL},
    {"divider", divider, NULL},
    {"image", image, "image_url slack_file"},
    {"actions", actions, NULL},
    {"context", context, NULL},
    {"context_actions", context_actions, NULL, SL_MESSAGE},
    {"input", input, NULL},
    {"file", file, NULL, SL_MESSAGE},
    {"video", video, NULL},
    {"rich_text", rich_text, NULL},
    {"markdown", markdown, NULL, SL_MESSAGE},
    {"table", table, NULL, SL_MESSAGE},
    {"card", card, "title body hero_image actions"},
    {"carousel", carousel, NULL},
    {"container", container, "title rich_text_title"},
    {"data_table", NULL, NULL, SL_MESSAGE},
    {"alert", NULL, NULL},
    {"task_card", task_card, NULL, SL_MESSAGE},
    {"plan", plan, NULL, SL_MESSAGE},
    {"call", NULL, NULL, SL_MESSAGE},
    {NULL},
};

static const struct member button[] = {{"text", K_PLAIN, true, 75, 0},
                                       ACTION_ID,
                                       {"url", K_STRING, false, 3000, 0},
                                       {"value", K_STRING, false, 2000, 0},
                                       {"style", K_STYLE, false, 0, 0},
                                       {"accessibility_label", K_STRING, false, 75, 0},
                                       CONFIRM,
                                       {NULL}};
static const struct member icon[] = {{"icon", K_STRING, true, 0, 0},
                                     {"text", K_PLAIN, true, 75, 0},
                                     ACTION_ID,
                                     {"value", K_STRING, false, 2000, 0},
                                     {"accessibility_label", K_STRING, false, 75, 0},
                                     CONFIRM,
                                     {NULL}};
static const struct member select[] = {ACTION_ID,
                                       PLACEHOLDER,
                                       {"options", K_MENU, false, 100, 75},
                                       {"option_groups", K_GROUPS, false, 100, 75},
                                       {"initial_option", K_OPTION, false, 0, 0},
                                       {"initial_options", K_CHOSEN, false, 100, 0},
                                       {"max_selected_items", K_INT, false, 0, 1},
                                       CONFIRM,
                                       FOCUS,
                                       {NULL}};
static const struct member overflow[] = {
    ACTION_ID, {"options", K_MENU, true, 5, 75}, CONFIRM, {NULL}};
static const struct member choices[] = {ACTION_ID,
                                        {"options", K_OPTIONS, true, 10, 75},
                                        {"initial_option", K_OPTION, false, 0, 0},
                                        {"initial_options", K_CHOSEN, false, 10, 0},
                                        CONFIRM,
                                        FOCUS,
                                        {NULL}};
static const struct member picker[] = {ACTION_ID,
                                       PLACEHOLDER,
                                       {"initial_option", K_OPTION, false, 0, 0},
                                       {"initial_options", K_CHOSEN, false, 100, 0},
                                       {"min_query_length", K_INT, false, 0, 0},
                                       {"max_selected_items", K_INT, false, 0, 1},
                                       CONFIRM,
                                       FOCUS,
                                       {NULL}};
static const struct member datepicker[] = {
    ACTION_ID, PLACEHOLDER, {"initial_date", K_DATE, false, 0, 0}, CONFIRM, FOCUS, {NULL}};
static const struct member timepicker[] = {
    ACTION_ID, PLACEHOLDER, {"initial_time", K_CLOCK, false, 0, 0}, CONFIRM, FOCUS, {NULL}};
static const struct member datetimepicker[] = {
    ACTION_ID, {"initial_date_time", K_INT, false, 0, 0}, CONFIRM, FOCUS, {NULL}};
static const struct member line[] = {
    ACTION_ID, PLACEHOLDER, {"initial_value", K_STRING, false, 3000, 0}, DISPATCH, FOCUS, {NULL}};
static const struct member text_input[] = {ACTION_ID,
                                           PLACEHOLDER,
                                           {"initial_value", K_STRING, false, 3000, 0},
                                           {"multiline", K_BOOL, false, 0, 0},
                                           {"min_length", K_INT, false, 3000, 0},
                                           {"max_length", K_INT, false, 3000, 1},
                                           DISPATCH,
                                           FOCUS,
                                           {NULL}};
static const struct member number_input[] = {ACTION_ID,
                                             PLACEHOLDER,
                                             {"is_decimal_allowed", K_BOOL, true, 0, 0},
                                             {"initial_value", K_STRING, false, 0, 0},
                                             {"min_value", K_STRING, false, 0, 0},
                                             {"max_value", K_STRING, false, 0, 0},
                                             DISPATCH,
                                             FOCUS,
                                             {NULL}};
static const struct member file_input[] = {
    ACTION_ID, {"filetypes", K_RAW, false, 0, 0}, {"max_files", K_INT, false, 10, 1}, {NULL}};
static const struct member picture[] = {{"image_url", K_STRING, false, 3000, 0},
                                        {"slack_file", K_ANY, false, 0, 0},
                                        {"alt_text", K_STRING, true, 2000, 0},
                                        {NULL}};

const struct shape sl_element_shapes[] = {
    {"button", button, NULL},
    {"static_select", select, "options option_groups"},
    {"multi_static_select", select, "options option_groups"},
    {"external_select", picker, NULL},
    {"multi_external_select", picker, NULL},
    {"users_select", picker, NULL},
    {"multi_users_select", picker, NULL},
    {"conversations_select", picker, NULL},
    {"multi_conversations_select", picker, NULL},
    {"channels_select", picker, NULL},
    {"multi_channels_select", picker, NULL},
    {"overflow", overflow, NULL},
    {"datepicker", datepicker, NULL},
    {"timepicker", timepicker, NULL},
    {"datetimepicker", datetimepicker, NULL},
    {"radio_buttons", choices, NULL},
    {"checkboxes", choices, NULL},
    {"plain_text_input", text_input, NULL},
    {"rich_text_input", picker, NULL},
    {"email_text_input", line, NULL},
    {"url_text_input", line, NULL},
    {"number_input", number_input, NULL},
    {"file_input", file_input, NULL, SL_MODAL},
    {"image", picture, "image_url slack_file"},
    {"workflow_button", button, NULL, SL_MESSAGE},
    {"feedback_buttons", NULL, NULL, SL_MESSAGE},
    {"icon_button", icon, NULL, SL_MESSAGE},
    {"url_source", NULL, NULL},
    {NULL},
};
