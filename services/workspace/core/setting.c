/* SPDX-License-Identifier: Apache-2.0 */
#include "services/workspace/core/setting.h"
#include "engine/state/form.h"
#include "engine/world/take.h"
#include "services/workspace/core/node.h"
#include "services/workspace/core/program.h"
#include <stdlib.h>

enum { GIT_NAME = 200 };

/* ---- the section ---- */

struct settings {
    struct {
        const char *commands, *flags;
        bool operators;
        int64_t length, seconds, output;
    } terminal;
    struct workspace_git git;
    struct program_services services;
    uint8_t processes; /* of kept */
    const char *desktop;
    struct {
        int64_t seconds, memory, data, temporary, home; /* MiB */
        int64_t files, processes, descriptors, output;
    } limits;
};

static const struct member terminal_members[] = {
    {"commands", "Names of the programs that may be run, with commas between them, or all",
     TEXT_AT(struct settings, terminal.commands), .usual_text = "all"},
    {"flags", "Flags that they may have, with commas between them, or all",
     TEXT_AT(struct settings, terminal.flags), .usual_text = "all"},
    {"operators", "A shell's operators may connect commands",
     BOOL_AT(struct settings, terminal.operators), .usual = 1},
    {"length", "Characters of a command at most",
     INT_AT(struct settings, terminal.length, 1, 65536), .usual = 2048},
    {"seconds", "Seconds that a command may take",
     INT_AT(struct settings, terminal.seconds, 1, PROGRAM_SECONDS), .usual = 60},
    {"output", "Bytes of each of its streams that are given",
     INT_AT(struct settings, terminal.output, 1, PROGRAM_MOST_KEEP), .usual = PROGRAM_USUAL_KEEP},
};
static const struct form terminal_form = FORM("The tools of a terminal", terminal_members);

static const struct member git_members[] = {
    {"name", "In whose name git commits, where nothing else says it",
     TEXT_AT(struct settings, git.name), .usual_text = "Agent"},
    {"email", "And with which address", TEXT_AT(struct settings, git.email),
     .usual_text = "agent@localhost"},
};
static const struct form git_form = FORM("Names of commits", git_members);

static const struct member service_members[] = {
    {"actor", "Address of who acts: a program has a token as SOSIA_TOKEN; without one it has none",
     TEXT_AT(struct settings, services.actor), .usual_text = ""},
    {"scopes", "Scopes of the token, with spaces between them; without them it may do all",
     TEXT_AT(struct settings, services.scopes), .usual_text = ""},
    {"credentials", "Kinds of further credentials, with commas between them",
     TEXT_AT(struct settings, services.credentials), .usual_text = ""},
};
static const struct form service_form = FORM("Credentials of programs", service_members);

#define MIB(member_name, about_text, field, most)                                                  \
    {                                                                                              \
        member_name, about_text, INT_AT(struct settings, limits.field, 0, most)                    \
    }
static const struct member limit_members[] = {
    {"seconds", "The longest time of a program; 0: an hour",
     INT_AT(struct settings, limits.seconds, 0, PROGRAM_SECONDS)},
    MIB("memoryMiB", "Data of a process; 0: 1024", memory, 65536),
    MIB("dataMiB", "Its copy of the workspace; 0: 512", data, 65536),
    MIB("temporaryMiB", "Each of its temporary directories; 0: 64", temporary, 65536),
    MIB("homeMiB", "Its home directory; 0: 64", home, 65536),
    {"files", "Files in its copy of the workspace; 0: 200000",
     INT_AT(struct settings, limits.files, 0, 1000000)},
    {"processes", "Processes at once; 0: 128", INT_AT(struct settings, limits.processes, 0, 4096)},
    {"openFiles", "Open files of a process; 0: 1024",
     INT_AT(struct settings, limits.descriptors, 0, 65536)},
    {"outputMiB", "Output of a stream, beyond which it is ended; 0: 64",
     INT_AT(struct settings, limits.output, 0, 1024)},
};
static const struct form limit_form = FORM("Limits of programs", limit_members);

/* ---- a desktop ---- */

static const char *const desktop_keys[] = {"blockedCommands",    "defaultShell",
                                           "allowedDirectories", "telemetryEnabled",
                                           "fileWriteLineLimit", "fileReadLineLimit"};

static bool is_list_of_texts(const struct json *v)
{
    if (v->type != JSON_ARRAY)
        return false;
    for (uint32_t i = 0; i < v->n; i++)
        if (v->items[i].type != JSON_STRING)
            return false;
    return true;
}

static int check_desktop(const struct form_in *in, const struct member *m, void *row)
{
    const struct json *o = json_get(in->value, m->name);
    const struct settings *s = row;
    for (uint32_t i = 0; o && o->type == JSON_OBJECT && i < o->n; i++) {
        const struct json *v = &o->members[i].value;
        size_t k = 0;
        while (k < SOSIA_LEN(desktop_keys) && strcmp(desktop_keys[k], o->members[i].key) != 0)
            k++;
        if (k == SOSIA_LEN(desktop_keys))
            return doc_fail(in->d, v, o->members[i].key, "is not a setting of a desktop");
        if ((k == 0 || k == 2) && !is_list_of_texts(v))
            return doc_fail(in->d, v, o->members[i].key, "must be a list of texts");
    }
    if (s->desktop && strlen(s->desktop) > WORKSPACE_DESKTOP)
        return doc_fail(in->d, o, m->name, "must have at most %d bytes", WORKSPACE_DESKTOP);
    return 0;
}

/* How long a program's processes are there. */
static const char *const kept[] = {"call", "session", NULL};

static const struct member members[] = {
    {"terminal", "Rules of the tools of a terminal", OBJECT_HERE(&terminal_form)},
    {"git", "Names of commits", OBJECT_HERE(&git_form)},
    {"services", "Credentials of the services that programs get", OBJECT_HERE(&service_form)},
    {"processes",
     "Whether processes of tools that have some end with their call, or go on with the next one",
     ENUM_AT(struct settings, processes, kept)},
    {"limits", "How much a program may take", OBJECT_HERE(&limit_form)},
    {"desktop",
     "What the tools of a desktop are set to: blockedCommands, allowedDirectories (lists of "
     "texts), "
     "defaultShell, telemetryEnabled, fileReadLineLimit, fileWriteLineLimit",
     JSON_AT(struct settings, desktop), .check = check_desktop},
};
const struct form workspace_programs_form = FORM("Programs on the workspace", members);

/* ---- the row ---- */

/* 1, 0 all is as usual, -1. In the arena. */
static int load(struct tx *tx, const char **ret)
{
    static struct sql_text q = SQL_TEXT("select value from workspace_setting where id = :id");
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, 1), ret);
    if (r != 1)
        return r;
    return *ret ? 1 : -1;
}

static int settings_of(struct tx *tx, struct settings *ret)
{
    const struct json *v;
    const char *text;
    form_usual(&workspace_programs_form, ret);
    int r = load(tx, &text);
    if (r <= 0)
        return r;
    if (json_parse(tx->arena, text, strlen(text), NULL, &v, tx->err) < 0)
        return -1;
    struct doc d = {
        .arena = tx->arena, .text = text, .len = strlen(text), .name = "programs", .err = tx->err};
    return form_read(&(struct form_in){tx, &d, v, NULL}, &workspace_programs_form, ret);
}

int workspace_programs_check(struct tx *tx)
{
    struct settings s;
    return settings_of(tx, &s);
}

static int store(struct tx *tx, const struct settings *s)
{
    static struct sql_text q =
        SQL_TEXT("insert into workspace_setting (id, value) values (1, :value) on conflict (id) do "
                 "update set value = excluded.value");
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    int rc = form_write(&(struct form_out){.tx = tx, .w = &w}, &workspace_programs_form, s);
    json_end(&w);
    if (rc == 0 && buf_failed(&b))
        rc = sosia_fail_memory(tx->err);
    if (rc == 0)
        rc = TX_RUN(tx, &q, sql_stringn(buf_str(&b), b.len));
    buf_done(&b);
    return rc;
}

int workspace_programs_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct settings s;
    if (!v)
        return 0;
    if (settings_of(tx, &s) < 0 ||
        form_read(&(struct form_in){tx, d, v, NULL}, &workspace_programs_form, &s) < 0)
        return -1;
    if (strlen(s.git.name) > GIT_NAME || strlen(s.git.email) > GIT_NAME)
        return doc_refuse(d, v, "git",
                          "must have a name and an email of at most %d "
                          "bytes",
                          GIT_NAME);
    return store(tx, &s);
}

int workspace_programs_dump(struct tx *tx, struct json_writer *w)
{
    struct settings s;
    const char *text;
    int r = load(tx, &text);
    if (r <= 0 || strcmp(text, "{}") == 0)
        return r < 0 ? -1 : 0;
    if (settings_of(tx, &s) < 0)
        return -1;
    json_obj(w, "programs");
    int rc = form_write(&(struct form_out){.tx = tx, .w = w}, &workspace_programs_form, &s);
    json_end(w);
    return rc;
}

/* ---- what tools ask ---- */

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The words of a list with commas, in order. NULL: no memory. */
static const char *const *list_of(struct tx *tx, const char *text)
{
    const char **list = arena_calloc(tx->arena, strlen(text) / 2 + 2, sizeof *list);
    size_t n = 0;
    while (list && *text) {
        size_t len = strcspn(text, ", ");
        if (len)
            list[n++] = arena_printf(tx->arena, "%.*s", (int)len, text);
        text += len;
        text += strspn(text, ", ");
    }
    if (arena_failed(tx->arena))
        return NULL;
    qsort(list, n, sizeof *list, by_bytes);
    return list;
}

int workspace_terminal_rules(struct tx *tx, struct workspace_terminal *ret)
{
    struct settings s;
    if (settings_of(tx, &s) < 0)
        return -1;
    *ret = (struct workspace_terminal){.all_commands = strcmp(s.terminal.commands, "all") == 0,
                                       .all_flags = strcmp(s.terminal.flags, "all") == 0,
                                       .operators = s.terminal.operators,
                                       .commands = list_of(tx, s.terminal.commands),
                                       .flags = list_of(tx, s.terminal.flags),
                                       .length = s.terminal.length,
                                       .seconds = s.terminal.seconds,
                                       .output = s.terminal.output};
    return ret->commands && ret->flags ? 0 : sosia_fail_memory(tx->err);
}

int workspace_git_author(struct tx *tx, struct workspace_git *ret)
{
    struct settings s;
    if (settings_of(tx, &s) < 0)
        return -1;
    *ret = s.git;
    return 0;
}

int workspace_services(struct tx *tx, struct program_services *ret)
{
    struct settings s;
    if (settings_of(tx, &s) < 0)
        return -1;
    *ret = s.services;
    return 0;
}

int workspace_processes(struct tx *tx)
{
    struct settings s;
    return settings_of(tx, &s) < 0 ? -1 : s.processes;
}

int workspace_desktop(struct tx *tx, const struct json **ret)
{
    static const struct json none = {.type = JSON_OBJECT};
    struct settings s;
    *ret = &none;
    if (settings_of(tx, &s) < 0)
        return -1;
    return s.desktop ? json_parse(tx->arena, s.desktop, strlen(s.desktop), NULL, ret, tx->err) : 0;
}

int workspace_set_desktop(struct tx *tx, const char *text)
{
    struct settings s;
    if (settings_of(tx, &s) < 0)
        return -1;
    s.desktop = text;
    return store(tx, &s);
}

int workspace_limits(struct tx *tx, struct workspace_limits *ret)
{
    struct settings s;
    if (settings_of(tx, &s) < 0)
        return -1;
    *ret = (struct workspace_limits){.seconds = s.limits.seconds,
                                     .memory = s.limits.memory << 20,
                                     .data = s.limits.data << 20,
                                     .temporary = s.limits.temporary << 20,
                                     .home = s.limits.home << 20,
                                     .files = s.limits.files,
                                     .processes = s.limits.processes,
                                     .descriptors = s.limits.descriptors,
                                     .output = s.limits.output << 20};
    return 0;
}
