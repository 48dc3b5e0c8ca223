/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as an argument of what agents, assistants and apps show: the first byte says which one
 * of which method. It is refused or done, and when it was done a dump of the world makes the same
 * world. */
#include "fuzz/slack/slack.h"

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-02-15T20:00:00Z\",\"people\":[{\"email\":\"ada@acme.example\"},"
    "{\"handle\":\"bot\",\"kind\":\"bot\"}],\"apps\":[{\"client_id\":\"1.2\",\"name\":\"App\","
    "\"vendor\":\"slack\",\"bot\":\"bot\"}],\"workspaces\":[{\"id\":\"T0ACME\",\"domain\":\"acme\","
    "\"members\":[{\"actor\":\"ada@acme.example\",\"id\":\"U0ADA\",\"name\":\"ada\"},{\"actor\":"
    "\"bot\",\"id\":\"U0BOT\"}],\"apps\":[{\"client_id\":\"1.2\",\"id\":\"A0APP\",\"bot\":"
    "\"B0APP\"}]}],\"chatApps\":[{\"client_id\":\"1.2\",\"settings\":{\"agent_channels\":true,"
    "\"unfurl_domains\":[\"x.example\"]}}],\"channels\":[{\"id\":\"C0DEV\",\"name\":\"dev\","
    "\"members\":[\"U0ADA\",\"U0BOT\"]},{\"id\":\"C0AGENT\",\"name\":\"agent\",\"members\":["
    "\"U0ADA\",\"U0BOT\"]}],\"chatFiles\":[{\"id\":\"F0PLAN\",\"user\":\"U0BOT\",\"name\":\"p\","
    "\"title\":\"P\",\"mode\":\"document\"}],\"canvases\":[{\"file\":\"F0PLAN\",\"markdown\":\"# "
    "One\",\"access\":[{\"user\":\"U0BOT\",\"level\":\"owner\"},{\"channel\":\"C0AGENT\",\"level\":"
    "\"write\"}]}],\"messages\":[{\"channel\":\"dev\",\"from\":\"U0ADA\",\"ts\":"
    "\"1771100000.000100\",\"text\":\"x\"}],\"agentChannels\":[{\"channel\":\"C0AGENT\",\"app\":"
    "\"1.2\",\"session\":\"ses_1\",\"title\":\"Fix\",\"agents\":[\"bot\"]}],\"chatTriggers\":[{"
    "\"id\":\"1337.2026.c0ffee\",\"app\":\"1.2\",\"user\":\"U0ADA\"}]}";

#define AGENT "channel_id=C0AGENT&"
#define DEV   "channel_id=C0DEV&thread_ts=1771100000.000100&"

static const struct {
    const char *method, *more;
} targets[] = {
    {"agents.conversations.create", "name=new&session_id="},
    {"agents.conversations.create", "name="},
    {"agents.conversations.setProperties", AGENT "code_channel="},
    {"agents.conversations.setProperties", AGENT "agent_resource="},
    {"agents.conversations.setProperties", AGENT "title="},
    {"agents.conversations.setCommands", AGENT "commands="},
    {"agents.conversations.setView", AGENT "view_key=a&type=blocks&label=x&blocks="},
    {"agents.conversations.setView", AGENT "view_key=a&type=page&label=x&content="},
    {"agents.conversations.setView", AGENT "view_key=a&type=diff&label=x&content="},
    {"agents.conversations.setView", AGENT "view_key=a&type=page&content=x&csp="},
    {"agents.conversations.setView", AGENT "type=link&label=x&pr_url="},
    {"agents.conversations.setCanvasContent", "channel=C0AGENT&canvas_id=F0PLAN&content="},
    {"agents.sessions.setStatus", AGENT "status="},
    {"assistant.threads.setStatus", DEV "status=thinks&loading_messages="},
    {"assistant.threads.setStatus", DEV "status="},
    {"assistant.threads.setSuggestedPrompts", DEV "prompts="},
    {"assistant.threads.setTitle", DEV "title="},
    {"views.publish", "user_id=U0ADA&view="},
    {"views.open", "trigger_id=1337.2026.c0ffee&view="},
    {"dialog.open", "trigger_id=1337.2026.c0ffee&dialog="},
    {"canvases.edit", "canvas_id=F0PLAN&changes="},
    {"canvases.sections.lookup", "canvas_id=F0PLAN&criteria="},
    {"chat.postMessage", "channel=C0DEV&text=x&metadata="},
    {"chat.postMessage", "channel=C0DEV&text=x&attachments="},
    {"chat.postMessage", "channel=C0DEV&markdown_text="},
    {"chat.startStream", "channel=C0DEV&thread_ts=1771100000.000100&recipient_team_id=T0ACME&"
                         "recipient_user_id=U0ADA&chunks="},
    {"slackLists.create", "name=x&schema="},
    {"slackLists.create", "name=x&description_blocks="},
    {"blocks.validate", "blocks="},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct slack_world s;
    const struct json *v;
    struct arena a;
    if (!s.engine)
        slack_world_as(&s, DOC, "bot", "1.2");
    if (!size || size > 8000)
        return 0;
    size_t which = data[0] % SOSIA_LEN(targets);
    arena_init(&a, 0);
    slack_world_fork(&s);
    struct sosia_response *res =
        slack_any(&s, targets[which].method, targets[which].more, data + 1, size - 1, &a, &v);
    if (slack_ok_of(v))
        slack_check_dump(&s);
    sosia_response_free(res);
    slack_world_drop(&s);
    arena_done(&a);
    return 0;
}
