/* SPDX-License-Identifier: Apache-2.0 */
/* Journals as a whole: what is kept, exports, what runs again. */
#include "engine/base/codec.h"
#include "engine/replay/export.h"
#include "server/control/operation.h"
#include <string.h>

static int answer_blob(struct control_call *c, struct sosia_blob *blob)
{
    server_answer_blob(c->response, 200, blob);
    return 0;
}

int control_journal_info(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob json;
    if (journal_info(c->engine, c->world, control_number(c, "head", 1) != 0, &json, &c->err) < 0)
        return -1;
    return answer_blob(c, &json);
}

/* What holds at present. */
static int kept(struct control_call *c, int64_t *ret_keep, int64_t *ret_steps)
{
    struct sosia_blob text;
    const struct json *info;
    if (journal_info(c->engine, c->world, false, &text, &c->err) < 0)
        return -1;
    int rc = json_parse(&c->arena, text.data, text.len, NULL, &info, &c->err);
    sosia_blob_free(&text);
    if (rc < 0)
        return -1;
    int keep = str_place(control_keeps, json_get_str(info, "keep"));
    *ret_keep = keep < 0 ? SOSIA_KEEP_REDACTED : keep;
    *ret_steps = json_get_int(json_get(info, "steps"), "most", 1000);
    return 0;
}

int control_journal_keep(struct call *call)
{
    struct control_call *c = control_of(call);
    const struct control_value *mode = control_given(c, "mode");
    bool keep = control_given(c, "keep") || control_given(c, "steps");
    int64_t what = 0, steps = 0;
    bool bounds = control_given(c, "step_bytes") || control_given(c, "bytes");
    if (!mode && !keep && !bounds)
        return control_fail(c, NULL,
                            "mode, keep, steps, step_bytes or bytes must be given, none is");
    if (keep && kept(c, &what, &steps) < 0)
        return -1;
    if ((mode && sosia_world_journal_mode(c->engine, c->world,
                                          (enum sosia_journal_mode)mode->number, &c->err) < 0) ||
        (keep && sosia_world_journal_keep(c->engine, c->world,
                                          (enum sosia_journal_keep)control_number(c, "keep", what),
                                          control_number(c, "steps", steps), &c->err) < 0) ||
        (bounds &&
         sosia_world_journal_bounds(c->engine, c->world, control_number(c, "step_bytes", -1),
                                    control_number(c, "bytes", -1), &c->err) < 0))
        return -1;
    return control_journal_info(call);
}

int control_journal_export(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob text;
    enum sosia_journal_format format =
        (enum sosia_journal_format)control_number(c, "format", SOSIA_JOURNAL_JSONL);
    int64_t after = control_number(c, "after", 0), to = control_number(c, "to", 0);
    bool secrets = control_number(c, "secrets", 0);
    if (secrets && format != SOSIA_JOURNAL_JSONL)
        return sosia_fail(&c->err, SOSIA_E_INVALID, "secrets", "secrets",
                          "secrets is for the format jsonl, is given with another one");
    if ((secrets
             ? sosia_journal_export_secrets(c->engine, c->world, after, to, &text, &c->err)
             : sosia_journal_export(c->engine, c->world, format, after, to, &text, &c->err)) < 0)
        return -1;
    answer_blob(c, &text);
    if (format == SOSIA_JOURNAL_JSONL)
        c->response->content_type = "application/jsonl; charset=UTF-8";
    return 0;
}

int control_journal_changes(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob json;
    if (sosia_journal_changes(c->engine, c->world, control_number(c, "seq", 0), &json, &c->err) < 0)
        return -1;
    return answer_blob(c, &json);
}

int control_journal_replay(struct call *call)
{
    struct control_call *c = control_of(call);
    const struct control_value *edits = control_given(c, "edits"), *from = control_given(c, "from"),
                               *journal = control_given(c, "journal");
    const char *name = control_text(c, "name");
    const struct sosia_replay_options opt = {.from = !from          ? 0
                                                     : from->number ? from->number
                                                                    : -1,
                                             .to = control_number(c, "to", 0),
                                             .first = control_number(c, "first", 0) != 0,
                                             .edits = edits ? edits->text : NULL,
                                             .edits_len = edits ? edits->len : 0,
                                             .keep = control_number(c, "keep", 0) != 0 || name,
                                             .name = name,
                                             .journal = journal ? journal->text : NULL,
                                             .journal_len = journal ? journal->len : 0,
                                             .journal_name = control_text(c, "journal_name")};
    struct sosia_blob json;
    if (sosia_journal_replay(c->engine, c->world, &opt, NULL, &json, &c->err) < 0)
        return -1;
    return answer_blob(c, &json);
}
