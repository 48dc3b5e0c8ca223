/* SPDX-License-Identifier: Apache-2.0 */
/* A canvas that a call names, Markdown that it gives, and storing what a call made of it. */
#include "services/chat/slack/files/canvas.h"
#include "services/chat/slack/sl.h"

int sl_canvas_arg(struct call *c, const char *name, const char *missing, enum chat_level needed,
                  struct chat_file *f, struct chat_document *d)
{
    const struct sl_caller *me = sl_me(c);
    enum chat_level level = CHAT_MAY_NOTHING;
    int r = chat_file_find(&c->tx, me->workspace.id, param_str(c, name), f);
    if (r == 1)
        r = strcmp(f->mode, "document") == 0 && f->state == CHAT_FILE_THERE;
    if (r == 1)
        r = chat_can_see_file(&c->tx, f, &me->user);
    if (r == 1)
        r = chat_document_get(&c->tx, f->id, d);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, missing);
    if (chat_level_of(&c->tx, f, &me->user, &level) < 0)
        return -1;
    return needed > CHAT_MAY_READ && level < needed ? slack_fail(c, "restricted_action") : 0;
}

int sl_canvas_store(struct call *c, struct chat_file *f, struct chat_document *d)
{
    chat_document_measure(&c->tx, f, &d->sections);
    f->editor = sl_me(c)->user.id;
    return chat_document_save(&c->tx, d) < 0 || chat_file_save(&c->tx, f, OP_CHANGED) < 0 ? -1 : 0;
}

static void write_detail(struct call *c)
{
    json_str(c->out, "detail", slack_of(c)->more_arg);
}

int sl_canvas_refuse(struct call *c, const char *code, const char *detail)
{
    slack_of(c)->more = write_detail;
    slack_of(c)->more_arg = detail;
    return slack_fail(c, code);
}

int sl_canvas_markdown(struct call *c, const char *markdown, const char *code,
                       struct chat_sections *ret)
{
    const char *why;
    if (strlen(markdown) > CHAT_DOCUMENT_MAX)
        return sl_canvas_refuse(c, code, "'content' error: content is too large");
    int r = chat_sections_of(&c->tx, markdown, ret, &why);
    return r == 1 ? 0
           : r < 0
               ? -1
               : sl_canvas_refuse(c, code, arena_printf(c->tx.arena, "'content' error: %s", why));
}
