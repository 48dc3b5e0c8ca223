/* SPDX-License-Identifier: Apache-2.0 */
/* The members of forms as tables for people. */
#include "engine/state/form.h"
#include <stdio.h>
#include <string.h>

static void add_names(struct buf *out, const char *const *names)
{
    const char *comma = "";
    for (; *names; names++) {
        if (**names)
            buf_printf(out, "%s`%s`", comma, *names);
        comma = **names ? ", " : comma;
    }
}

static void add_number(struct buf *out, const struct member *m)
{
    buf_puts(out, "number");
    if (m->max == INT64_MAX || m->max == INT32_MAX)
        buf_printf(out, " from %lld", (long long)m->min);
    else
        buf_printf(out, " from %lld to %lld", (long long)m->min, (long long)m->max);
}

static void add_type(struct buf *out, const struct member *m)
{
    static const char *const plain[] = {
        [MEMBER_TEXT] = "text",   [MEMBER_BOOL] = "true or false", [MEMBER_FLAG] = "true or false",
        [MEMBER_TIME] = "time",   [MEMBER_ZONE] = "time zone",     [MEMBER_JSON] = "object",
        [MEMBER_KEPT] = "object", [MEMBER_OBJECT] = "object",      [MEMBER_LIST] = "list",
        [MEMBER_OWN] = "list"};
    if (m->kind == MEMBER_WORD || m->kind == MEMBER_ENUM)
        add_names(out, m->names);
    else if (m->kind == MEMBER_REF || (m->kind != MEMBER_BITS && m->noun))
        buf_puts(out, m->kind == MEMBER_REF ? m->ref->noun : m->noun);
    else if (m->kind == MEMBER_INT)
        add_number(out, m);
    else if (m->kind == MEMBER_BITS) {
        buf_puts(out, "list of ");
        add_names(out, m->names);
    } else if (m->kind == MEMBER_KEPT && m->min == JSON_ARRAY) {
        buf_puts(out, "list");
    } else if (m->kind == MEMBER_JSON && (m->flags & MEMBER_TEXTS)) {
        buf_puts(out, "object of texts");
    } else {
        buf_puts(out, plain[m->kind]);
    }
}

static void add_rows(struct buf *out, const struct form *form);

/* Those of a part that are in a table above are not written again. */
static void add_part(struct buf *out, const struct form *part)
{
    struct buf rows;
    buf_init(&rows, 0);
    add_rows(&rows, part);
    if (rows.len && strstr(buf_str(out), buf_str(&rows)))
        buf_printf(out, "| `%s` ... `%s` | | As above |\n", part->members[0].name,
                   part->members[part->n - 1].name);
    else
        buf_puts(out, buf_str(&rows));
    buf_done(&rows);
}

static void add_rows(struct buf *out, const struct form *form)
{
    for (size_t i = 0; i < form->n; i++) {
        const struct member *m = &form->members[i];
        if (m->kind == MEMBER_PART) {
            add_part(out, m->form);
            continue;
        }
        if (!m->name)
            continue;
        buf_printf(out, "| `%s`%s | ", m->name, m->flags & MEMBER_REQUIRED ? " (required)" : "");
        add_type(out, m);
        buf_printf(out, " | %s |\n", m->about);
    }
}

/* The forms in a form, each once. */
static void add_inner(struct buf *out, const struct form *form, const char *name)
{
    for (size_t i = 0; i < form->n; i++) {
        const struct member *m = &form->members[i];
        if (m->kind == MEMBER_PART)
            add_inner(out, m->form, name);
        else if (m->form) {
            char path[128];
            snprintf(path, sizeof path, "%s.%s", name, m->name);
            form_markdown(out, m->form, path);
        }
    }
}

/* What is below it where no form says that. */
static const char *inner_of(const struct member *m)
{
    const char *noun = m->kind == MEMBER_OWN && m->noun ? m->noun : "";
    return m->inner                                           ? m->inner
           : m->kind == MEMBER_BITS                           ? "*"
           : m->kind == MEMBER_JSON || m->kind == MEMBER_KEPT ? "**"
           : strcmp(noun, "list of texts") == 0               ? "*"
           : strcmp(noun, "list") == 0                        ? "*.**"
           : strcmp(noun, "object") == 0                      ? "**"
                                                              : NULL;
}

static void add_paths(struct buf *out, const struct form *form, const char *above)
{
    char in[128];
    for (size_t i = 0; i < form->n; i++) {
        const struct member *m = &form->members[i];
        const char *inner = inner_of(m);
        if (m->kind == MEMBER_PART) {
            add_paths(out, m->form, above);
        } else if (m->flags & MEMBER_GIVEN) {
            continue;
        } else if (m->name && m->form && !m->inner) {
            snprintf(in, sizeof in, "%s%s.%s", above, m->name,
                     m->kind == MEMBER_OBJECT ? "" : "*.");
            add_paths(out, m->form, in);
        } else if (m->name) {
            buf_printf(out, "%s%s%s%s%s", out->len ? " " : "", above, m->name, inner ? "." : "",
                       inner ? inner : "");
        }
    }
}

void form_paths(struct buf *out, const struct form *form)
{
    add_paths(out, form, "");
}

void form_markdown(struct buf *out, const struct form *form, const char *name)
{
    char heading[160];
    snprintf(heading, sizeof heading, "%s\n\n| member", form->about);
    if (out->len && strstr(buf_str(out), heading)) /* it is there already */
        return;
    buf_printf(out, "\n### `%s`: %s | type | what it says |\n|---|---|---|\n", name, heading);
    add_rows(out, form);
    add_inner(out, form, name);
}
