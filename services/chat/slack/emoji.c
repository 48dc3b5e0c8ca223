/* SPDX-License-Identifier: Apache-2.0 */
#include "services/chat/slack/emoji.h"
#include "engine/base/err.h"
#include <stdbool.h>
#include <string.h>

static const struct sl_emoji all[] = {
    {"grinning", "\xf0\x9f\x98\x80", "1f600"},
    {"smile", "\xf0\x9f\x98\x84", "1f604"},
    {"joy", "\xf0\x9f\x98\x82", "1f602"},
    {"wink", "\xf0\x9f\x98\x89", "1f609"},
    {"blush", "\xf0\x9f\x98\x8a", "1f60a"},
    {"heart_eyes", "\xf0\x9f\x98\x8d", "1f60d"},
    {"thinking_face", "\xf0\x9f\xa4\x94", "1f914"},
    {"sob", "\xf0\x9f\x98\xad", "1f62d"},
    {"sunglasses", "\xf0\x9f\x98\x8e", "1f60e"},
    {"sweat_smile", "\xf0\x9f\x98\x85", "1f605"},
    {"slightly_smiling_face", "\xf0\x9f\x99\x82", "1f642"},
    {"upside_down_face", "\xf0\x9f\x99\x83", "1f643"},
    {"cry", "\xf0\x9f\x98\xa2", "1f622"},
    {"rage", "\xf0\x9f\x98\xa1", "1f621"},
    {"scream", "\xf0\x9f\x98\xb1", "1f631"},
    {"+1", "\xf0\x9f\x91\x8d", "1f44d"},
    {"-1", "\xf0\x9f\x91\x8e", "1f44e"},
    {"clap", "\xf0\x9f\x91\x8f", "1f44f"},
    {"wave", "\xf0\x9f\x91\x8b", "1f44b"},
    {"pray", "\xf0\x9f\x99\x8f", "1f64f"},
    {"muscle", "\xf0\x9f\x92\xaa", "1f4aa"},
    {"ok_hand", "\xf0\x9f\x91\x8c", "1f44c"},
    {"raised_hands", "\xf0\x9f\x99\x8c", "1f64c"},
    {"point_up", "\xe2\x98\x9d\xef\xb8\x8f", "261d-fe0f"},
    {"eyes", "\xf0\x9f\x91\x80", "1f440"},
    {"brain", "\xf0\x9f\xa7\xa0", "1f9e0"},
    {"heart", "\xe2\x9d\xa4\xef\xb8\x8f", "2764-fe0f"},
    {"broken_heart", "\xf0\x9f\x92\x94", "1f494"},
    {"sparkles", "\xe2\x9c\xa8", "2728"},
    {"star", "\xe2\xad\x90", "2b50"},
    {"star2", "\xf0\x9f\x8c\x9f", "1f31f"},
    {"fire", "\xf0\x9f\x94\xa5", "1f525"},
    {"100", "\xf0\x9f\x92\xaf", "1f4af"},
    {"tada", "\xf0\x9f\x8e\x89", "1f389"},
    {"balloon", "\xf0\x9f\x8e\x88", "1f388"},
    {"gift", "\xf0\x9f\x8e\x81", "1f381"},
    {"trophy", "\xf0\x9f\x8f\x86", "1f3c6"},
    {"rocket", "\xf0\x9f\x9a\x80", "1f680"},
    {"airplane", "\xe2\x9c\x88\xef\xb8\x8f", "2708-fe0f"},
    {"car", "\xf0\x9f\x9a\x97", "1f697"},
    {"coffee", "\xe2\x98\x95", "2615"},
    {"beer", "\xf0\x9f\x8d\xba", "1f37a"},
    {"pizza", "\xf0\x9f\x8d\x95", "1f355"},
    {"cake", "\xf0\x9f\x8d\xb0", "1f370"},
    {"taco", "\xf0\x9f\x8c\xae", "1f32e"},
    {"warning", "\xe2\x9a\xa0\xef\xb8\x8f", "26a0-fe0f"},
    {"white_check_mark", "\xe2\x9c\x85", "2705"},
    {"heavy_check_mark", "\xe2\x9c\x94\xef\xb8\x8f", "2714-fe0f"},
    {"x", "\xe2\x9d\x8c", "274c"},
    {"question", "\xe2\x9d\x93", "2753"},
    {"exclamation", "\xe2\x9d\x97", "2757"},
    {"no_entry", "\xe2\x9b\x94", "26d4"},
    {"rotating_light", "\xf0\x9f\x9a\xa8", "1f6a8"},
    {"lock", "\xf0\x9f\x94\x92", "1f512"},
    {"unlock", "\xf0\x9f\x94\x93", "1f513"},
    {"key", "\xf0\x9f\x94\x91", "1f511"},
    {"bulb", "\xf0\x9f\x92\xa1", "1f4a1"},
    {"mag", "\xf0\x9f\x94\x8d", "1f50d"},
    {"link", "\xf0\x9f\x94\x97", "1f517"},
    {"paperclip", "\xf0\x9f\x93\x8e", "1f4ce"},
    {"pushpin", "\xf0\x9f\x93\x8c", "1f4cc"},
    {"memo", "\xf0\x9f\x93\x9d", "1f4dd"},
    {"calendar", "\xf0\x9f\x93\x86", "1f4c6"},
    {"email", "\xf0\x9f\x93\xa7", "1f4e7"},
    {"phone", "\xe2\x98\x8e\xef\xb8\x8f", "260e-fe0f"},
    {"computer", "\xf0\x9f\x92\xbb", "1f4bb"},
    {"bug", "\xf0\x9f\x90\x9b", "1f41b"},
    {"wrench", "\xf0\x9f\x94\xa7", "1f527"},
    {"hammer", "\xf0\x9f\x94\xa8", "1f528"},
    {"gear", "\xe2\x9a\x99\xef\xb8\x8f", "2699-fe0f"},
    {"package", "\xf0\x9f\x93\xa6", "1f4e6"},
    {"books", "\xf0\x9f\x93\x9a", "1f4da"},
    {"chart_with_upwards_trend", "\xf0\x9f\x93\x88", "1f4c8"},
    {"moneybag", "\xf0\x9f\x92\xb0", "1f4b0"},
    {"hourglass", "\xe2\x8c\x9b", "231b"},
    {"alarm_clock", "\xe2\x8f\xb0", "23f0"},
    {"sunny", "\xe2\x98\x80\xef\xb8\x8f", "2600-fe0f"},
    {"cloud", "\xe2\x98\x81\xef\xb8\x8f", "2601-fe0f"},
    {"zap", "\xe2\x9a\xa1", "26a1"},
    {"snowflake", "\xe2\x9d\x84\xef\xb8\x8f", "2744-fe0f"},
    {"rainbow", "\xf0\x9f\x8c\x88", "1f308"},
    {"dog", "\xf0\x9f\x90\xb6", "1f436"},
    {"cat", "\xf0\x9f\x90\xb1", "1f431"},
    {"robot_face", "\xf0\x9f\xa4\x96", "1f916"},
    {"speech_balloon", "\xf0\x9f\x92\xac", "1f4ac"},
    {"house", "\xf0\x9f\x8f\xa0", "1f3e0"},
    {"earth_africa", "\xf0\x9f\x8c\x8d", "1f30d"},
    {"arrow_right", "\xe2\x9e\xa1\xef\xb8\x8f", "27a1-fe0f"},
    {"arrow_up", "\xe2\xac\x86\xef\xb8\x8f", "2b06-fe0f"},
    {"arrow_down", "\xe2\xac\x87\xef\xb8\x8f", "2b07-fe0f"},
    {"red_circle", "\xf0\x9f\x94\xb4", "1f534"},
    {"large_green_circle", "\xf0\x9f\x9f\xa2", "1f7e2"},
    {"large_yellow_circle", "\xf0\x9f\x9f\xa1", "1f7e1"},
    {"palm_tree", "\xf0\x9f\x8c\xb4", "1f334"},
    {"face_with_thermometer", "\xf0\x9f\xa4\x92", "1f912"},
    {"skull", "\xf0\x9f\x92\x80", "1f480"},
    {"ghost", "\xf0\x9f\x91\xbb", "1f47b"},
    {"see_no_evil", "\xf0\x9f\x99\x88", "1f648"},
    {"thumbsup", "\xf0\x9f\x91\x8d", "1f44d"},
    {"thumbsdown", "\xf0\x9f\x91\x8e", "1f44e"},
};

const struct sl_emoji *sl_emoji_named(const char *name, size_t len)
{
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        if (strlen(all[i].name) == len && memcmp(all[i].name, name, len) == 0)
            return &all[i];
    return NULL;
}

/* With or without the selector that asks for a picture. */
const struct sl_emoji *sl_emoji_at(const char *text, size_t *ret_len)
{
    static const char picture[] = "\xef\xb8\x8f";
    if ((unsigned char)*text < 0xe2)
        return NULL;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        size_t n = strlen(all[i].text), bare = n > 3 ? n - 3 : n;
        bool selects = n > 3 && memcmp(all[i].text + bare, picture, 3) == 0;
        if (strncmp(text, all[i].text, n) != 0 &&
            (!selects || strncmp(text, all[i].text, bare) != 0))
            continue;
        *ret_len = strncmp(text, all[i].text, n) == 0 ? n : bare;
        if (strncmp(text + *ret_len, picture, 3) == 0)
            *ret_len += 3;
        return &all[i];
    }
    return NULL;
}

int sl_emoji_is_name(const char *name)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyz0123456789_+-'";
    size_t n = strspn(name, word);
    if (!n || n > 100)
        return 0;
    if (strncmp(name + n, "::skin-tone-", 12) == 0)
        return name[n + 12] >= '2' && name[n + 12] <= '6' && !name[n + 13];
    return !name[n] || (unsigned char)name[n] >= 0x80;
}
