/* SPDX-License-Identifier: Apache-2.0 */
/* How calls are refused, and what all of them may ask for beside the item. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/drive/onedrive/onedrive.h"

/* ---- failures ---- */

int onedrive_not_found(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "itemNotFound", NULL,
                     "The resource could not be found.");
}

int onedrive_invalid(struct call *c, const char *message)
{
    return call_fail(c, SOSIA_E_INVALID, "invalidRequest", NULL, "%s", message);
}

int onedrive_refused(struct call *c)
{
    const struct sosia_err *e = c->tx.err;
    const char *reason = e->reason ? e->reason : "";
    switch (e->code) {
    case SOSIA_E_NOT_FOUND:
        return strcmp(reason, "itemNotFound") == 0 ? -1 : onedrive_not_found(c);
    case SOSIA_E_FORBIDDEN:
        if (strcmp(reason, "tooDeep") == 0)
            return onedrive_invalid(c, "The folder is nested too deeply.");
        return graph_denied(c);
    case SOSIA_E_CONFLICT:
        return strcmp(reason, "nameInUse") == 0
                   ? call_fail(c, SOSIA_E_CONFLICT, "nameAlreadyExists", NULL,
                               "Name already exists")
                   : -1;
    case SOSIA_E_INVALID:
        return strcmp(reason, "cycle") == 0 ? onedrive_invalid(c, "Invalid request") : -1;
    default:
        return -1;
    }
}

/* ---- preconditions and options ---- */

/* Lists of tags; both that of the item and that of its content will do. */
int onedrive_if_match(struct onedrive_at *at, const struct drive_item *it)
{
    struct call *c = at->c;
    const char *header = call_request_header(c, "If-Match");
    const char *unless = call_request_header(c, "If-None-Match");
    const char *etag = onedrive_etag(c->tx.arena, it), *ctag = onedrive_ctag(c->tx.arena, it);
    if (unless && (strstr(unless, etag) || strstr(unless, ctag)))
        return call_fail(c, SOSIA_E_PRECONDITION, "notAllowed", NULL,
                         "ETag does not match current item's value");
    if (onedrive_check_free(at, it) < 0)
        return -1;
    if (!header || *header == '*' || strstr(header, etag) || strstr(header, ctag))
        return 0;
    return call_fail(c, SOSIA_E_PRECONDITION, "notAllowed", NULL,
                     "ETag does not match current item's value");
}

int onedrive_options(struct call *c, const char *type, struct odata_query *ret)
{
    return graph_query(c, type, NULL, ret);
}

int onedrive_conflict(struct call *c, const struct json *body, enum drive_conflict otherwise,
                      enum drive_conflict *ret)
{
    static const char *const words[] = {"fail", "replace", "rename", NULL};
    const char *text = json_get_str(body, ONEDRIVE_CONFLICT);
    if (!text)
        text = call_query_item(c, ONEDRIVE_CONFLICT);
    if (!text)
        text = param_str(c, ONEDRIVE_CONFLICT);
    *ret = otherwise;
    if (!text)
        return 0;
    for (int i = 0; words[i]; i++)
        if (str_eq_nocase(words[i], text)) {
            *ret = (enum drive_conflict)i;
            return 0;
        }
    return onedrive_invalid(c, "The conflictBehavior must be fail, replace or rename.");
}

/* ---- names ---- */

/* MG-580, in any case. */
static bool is_reserved(const char *name)
{
    static const char *const words[] = {".lock", "desktop.ini", "CON", "PRN", "AUX", "NUL"};
    static const char *const numbered[] = {"COM", "LPT"};
    if (str_in_nocase(name, words, SOSIA_LEN(words)))
        return true;
    return str_starts_in_nocase(name, numbered, SOSIA_LEN(numbered)) && name[3] >= '0' &&
           name[3] <= '9' && !name[4];
}

static bool has_vti(const char *name)
{
    for (; *name; name++)
        if (strncasecmp(name, "_vti_", 5) == 0)
            return true;
    return false;
}

int onedrive_check_name(struct call *c, const char *name, bool at_root)
{
    const size_t n = strlen(name);
    bool bad = !n || is_reserved(name) || has_vti(name) || str_starts(name, "~$") ||
               strpbrk(name, "\"*:<>?/\\|") || *name == ' ' || (n && strchr(" .", name[n - 1])) ||
               (at_root && str_eq_nocase(name, "forms"));
    for (const char *p = name; *p; p++)
        bad = bad || (unsigned char)*p < ' ' || *p == 0x7f;
    if (bad)
        return onedrive_invalid(c, "The provided name cannot contain any illegal characters.");
    return utf8_count(name, n) > ONEDRIVE_NAME
               ? onedrive_invalid(c, "The provided name is too long.")
               : 0;
}
