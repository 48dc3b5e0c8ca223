/* SPDX-License-Identifier: Apache-2.0 */
/* Replacements of values: made up once, and found again by a keyed hash, so that neither memory
 * nor disk holds the values themselves. */
#include "conformance/record/redact_impl.h"
#include "conformance/traces.h"
#include "engine/base/codec.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { TAG_BYTES = 12, TAG_TEXT = 2 * TAG_BYTES + 1 };

const char *const redact_kinds[] = {"token", "cookie", "key",  "email", "name",
                                    "phone", "ip",     "text", NULL};

/* ---- names of members ---- */

/* Letters and digits only, in lower case; cut where it is longer than any name that is known. */
static void plain_name(const char *name, char out[40])
{
    size_t n = 0;
    for (; *name && n < 39; name++)
        if (isalnum((unsigned char)*name))
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = 0;
}

bool same_name(const char *a, const char *b)
{
    char x[40], y[40];
    plain_name(a, x);
    plain_name(b, y);
    return strcmp(x, y) == 0;
}

static bool is_one_of(const char *name, const char *const *list)
{
    char plain[40];
    if (!name)
        return false;
    plain_name(name, plain);
    for (; *list; list++)
        if (strcmp(*list, plain) == 0)
            return true;
    return false;
}

/* Whether a vendor has the name in a list of its traces, which is at that offset. */
static bool is_vendors(const char *name, size_t offset)
{
    const struct traces *t;
    for (size_t at = 0; name && (t = traces_next(&at));)
        for (const char *const *p = traces_list(t, offset); p && *p; p++)
            if (same_name(*p, name))
                return true;
    return false;
}

bool is_secret_name(const char *name)
{
    static const char *const names[] = {"accesstoken",
                                        "refreshtoken",
                                        "idtoken",
                                        "token",
                                        "authtoken",
                                        "bearertoken",
                                        "sessiontoken",
                                        "securitytoken",
                                        "clientsecret",
                                        "clientassertion",
                                        "secret",
                                        "password",
                                        "passwd",
                                        "assertion",
                                        "codeverifier",
                                        "devicecode",
                                        "usercode",
                                        "privatekey",
                                        "privatekeyid",
                                        "samlresponse",
                                        "actortoken",
                                        "subjecttoken",
                                        "requestedtoken",
                                        "oauthtoken",
                                        "signingsecret",
                                        "webhooksecret",
                                        "clientstate",
                                        "jwt",
                                        "authcode",
                                        "authorizationcode",
                                        NULL};
    return is_one_of(name, names) || is_vendors(name, offsetof(struct traces, secrets));
}

bool is_signature_name(const char *name)
{
    static const char *const names[] = {"signature", "sig", "xamzsignature", "tempauth", NULL};
    return is_one_of(name, names) || is_vendors(name, offsetof(struct traces, signatures));
}

bool is_key_name(const char *name)
{
    static const char *const names[] = {"key", "apikey", "xapikey", "appkey", NULL};
    return is_one_of(name, names) || is_vendors(name, offsetof(struct traces, key_names));
}

bool is_code_name(const char *name)
{
    return name && same_name(name, "code");
}

bool is_person_name(const char *name)
{
    static const char *const names[] = {"displayname",
                                        "givenname",
                                        "familyname",
                                        "firstname",
                                        "lastname",
                                        "middlename",
                                        "nickname",
                                        "fullname",
                                        "realname",
                                        "realnamenormalized",
                                        "name",
                                        "surname",
                                        "username",
                                        "mailnickname",
                                        "displaynamenormalized",
                                        "unstructuredname",
                                        "displaynamelastfirst",
                                        NULL};
    return is_one_of(name, names);
}

bool is_picture_name(const char *name)
{
    static const char *const names[] = {"photolink", "picture",  "thumbnailphotourl",
                                        "avatarurl", "photourl", NULL};
    return is_one_of(name, names);
}

bool is_phone_name(const char *name)
{
    static const char *const names[] = {
        "phone",       "phonenumber",    "phonenumbers",    "telephone", "mobile",
        "mobilephone", "businessphones", "homephones",      "tel",       "fax",
        "faxnumber",   "recoveryphone",  "telephonenumber", NULL};
    return is_one_of(name, names);
}

bool is_free_text_name(const char *name)
{
    static const char *const names[] = {
        "summary",  "description", "subject",    "snippet",          "body",  "bodypreview",
        "content",  "title",       "text",       "comment",          "note",  "notes",
        "location", "htmlcontent", "q",          "filename",         "topic", "purpose",
        "subtitle", "headline",    "quotedtext", "originalfilename", "name",  "displayname",
        NULL};
    return is_one_of(name, names);
}

bool is_address_name(const char *name)
{
    static const char *const names[] = {"email",   "emailaddress", "mail",    "userprincipalname",
                                        "address", "primaryemail", "emailid", NULL};
    return is_one_of(name, names);
}

bool is_person_place(const char *name)
{
    static const char *const names[] = {"creator",
                                        "organizer",
                                        "attendees",
                                        "attendee",
                                        "owner",
                                        "owners",
                                        "user",
                                        "users",
                                        "author",
                                        "actor",
                                        "actors",
                                        "sender",
                                        "from",
                                        "member",
                                        "members",
                                        "profile",
                                        "people",
                                        "person",
                                        "assignee",
                                        "permissions",
                                        "emailaddress",
                                        "sharinguser",
                                        "trashinguser",
                                        "lastmodifyinguser",
                                        "createdby",
                                        "lastmodifiedby",
                                        "modifiedby",
                                        "sharedby",
                                        "grantedto",
                                        "grantedtov2",
                                        "names",
                                        "torecipients",
                                        "ccrecipients",
                                        "replyto",
                                        NULL};
    return is_one_of(name, names);
}

/* ---- reserved domains and addresses ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcasecmp(text + n - m, end) == 0;
}

/* The domain itself or one below it. */
static bool is_below(const char *domain, const char *of)
{
    size_t n = strlen(domain), m = strlen(of);
    return ends_with(domain, of) && (n == m || domain[n - m - 1] == '.');
}

static bool is_below_one(const char *domain, const char *const *list)
{
    for (; list && *list; list++)
        if (is_below(domain, *list))
            return true;
    return false;
}

bool is_nobodys_address(const char *address)
{
    static const char *const domains[] = {/* RFC 2606, RFC 6761 */
                                          "example",     "test",        "invalid",     "localhost",
                                          "example.com", "example.net", "example.org", NULL};
    const struct traces *t;
    const char *domain = strrchr(address, '@');
    bool found = domain && is_below_one(domain + 1, domains);
    for (size_t at = 0; domain && !found && (t = traces_next(&at));)
        found = is_below_one(domain + 1, t->things);
    return found;
}

/* A vendor's own, which no customer has. */
static bool is_vendors_domain(const char *domain)
{
    const struct traces *t;
    bool found = false;
    for (size_t at = 0; !found && (t = traces_next(&at));)
        found = is_below_one(domain, t->domains);
    return found;
}

static bool is_nobodys_ip(const char *text)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, text, &v4) == 1) {
        uint32_t ip = ntohl(v4.s_addr);
        uint32_t net = ip >> 8;
        return ip >> 24 == 127 || !ip || ip == UINT32_MAX || net == 0xC00002 || net == 0xC63364 ||
               net == 0xCB0071;
    }
    if (inet_pton(AF_INET6, text, &v6) == 1)
        return IN6_IS_ADDR_LOOPBACK(&v6) || IN6_IS_ADDR_UNSPECIFIED(&v6) ||
               memcmp(&v6, "\x20\x01\x0d\xb8", 4) == 0;
    return true; /* no address */
}

/* ---- what stands for it ---- */

static void tag_of(struct redactor *r, const char *kind, const char *value, char ret_tag[TAG_TEXT])
{
    uint8_t digest[32];
    size_t n = strlen(kind) + 1;
    struct buf b;
    buf_init(&b, 0);
    buf_add(&b, kind, n);
    buf_puts(&b, value);
    if (buf_failed(&b) ||
        gnutls_hmac_fast(GNUTLS_MAC_SHA256, r->o.key, sizeof r->o.key, b.data, b.len, digest) < 0) {
        r->failed = true;
        memset(digest, 0, sizeof digest);
    }
    buf_done(&b);
    hex_encode(ret_tag, digest, TAG_BYTES);
}

static const char *slot_name(struct redactor *r, const char *kind, const char *tag)
{
    return arena_printf(r->arena, "%s %s", kind, tag);
}

/* Keeps a copy. */
static void keep(struct redactor *r, const char *kind, const char *tag, const char *with)
{
    char *copy = strdup(with);
    if (!copy || map_set(&r->known, slot_name(r, kind, tag), copy) < 0) {
        free(copy);
        r->failed = true;
        return;
    }
    if (r->o.made)
        r->o.made(r->o.arg, kind, tag, with);
}

/* As it is compared: addresses without regard to case, numbers without punctuation. */
static const char *normal(struct redactor *r, enum redact_kind kind, const char *value)
{
    char *copy = arena_strdup(r->arena, value);
    if (kind == REDACT_EMAIL || kind == REDACT_IP)
        for (char *p = copy; *p; p++)
            *p = (char)tolower((unsigned char)*p);
    if (kind == REDACT_PHONE) {
        char *to = copy;
        for (const char *p = copy; *p; p++)
            if (isdigit((unsigned char)*p))
                *to++ = *p;
        *to = 0;
    }
    return copy;
}

static const char *domain_for(struct redactor *r, const char *domain)
{
    char tag[TAG_TEXT];
    tag_of(r, "domain", domain, tag);
    const char *with = map_get(&r->known, slot_name(r, "domain", tag));
    if (!with) {
        with = arena_printf(r->arena, "org%u.example", ++r->domains);
        keep(r, "domain", tag, with);
    }
    return with;
}

const char *substitute_domain(struct redactor *r, const char *domain)
{
    const char *as_address = arena_printf(r->arena, "@%s", domain);
    if (!strchr(domain, '.') || !redacts(r, REDACT_EMAIL) || is_nobodys_address(as_address) ||
        is_vendors_domain(domain))
        return NULL;
    return arena_strdup(r->arena, domain_for(r, normal(r, REDACT_EMAIL, domain)));
}

static const char *make_ip(struct redactor *r, const char *value)
{
    static const char *const nets[] = {"192.0.2", "198.51.100", "203.0.113"};
    unsigned n = r->made[REDACT_IP]++;
    if (strchr(value, ':'))
        return arena_printf(r->arena, "2001:db8::%x", n + 1);
    return arena_printf(r->arena, "%s.%u", nets[n / 254 % SOSIA_LEN(nets)], n % 254 + 1);
}

/* Numbers that are kept for fiction, in the United States and in the United Kingdom. */
static const char *make_phone(struct redactor *r)
{
    unsigned n = r->made[REDACT_PHONE]++;
    return n < 100 ? arena_printf(r->arena, "+1202555%04u", 100 + n)
                   : arena_printf(r->arena, "+4420794600%02u", n % 100);
}

static const char *make(struct redactor *r, enum redact_kind kind, const char *value)
{
    switch (kind) {
    case REDACT_EMAIL:
        return arena_printf(r->arena, "person%u@%s", ++r->persons,
                            domain_for(r, strrchr(value, '@') + 1));
    case REDACT_NAME:
        return arena_printf(r->arena, "Person %u", ++r->persons);
    case REDACT_PHONE:
        return make_phone(r);
    case REDACT_IP:
        return make_ip(r, value);
    case REDACT_TEXT:
        return arena_printf(r->arena, "text %u", ++r->made[kind]);
    default:
        return arena_printf(r->arena, "redacted-%s-%u", redact_kinds[kind], ++r->made[kind]);
    }
}

static bool has_form(const char *value, const char *start, const char *digits)
{
    size_t n = strlen(start);
    return strncmp(value, start, n) == 0 && value[n] && value[n + strspn(value + n, digits)] == 0;
}

/* Nothing to take out, or made up here before. */
static bool stays(enum redact_kind kind, const char *value)
{
    switch (kind) {
    case REDACT_EMAIL:
        return !strchr(value, '@') || is_nobodys_address(value);
    case REDACT_NAME:
        return has_form(value, "Person ", "0123456789");
    case REDACT_PHONE:
        return has_form(value, "+120255501", "0123456789") ||
               has_form(value, "+44207946", "0123456789");
    case REDACT_IP:
        return is_nobodys_ip(value);
    case REDACT_TEXT:
        return has_form(value, "text ", "0123456789");
    default:
        return str_starts(value, "redacted-");
    }
}

static const char *find_or_make(struct redactor *r, enum redact_kind kind, const char *value)
{
    char tag[TAG_TEXT];
    tag_of(r, redact_kinds[kind], normal(r, kind, value), tag);
    const char *with = map_get(&r->known, slot_name(r, redact_kinds[kind], tag));
    if (!with) {
        with = make(r, kind, normal(r, kind, value));
        keep(r, redact_kinds[kind], tag, with);
    }
    return with;
}

const char *substitute(struct redactor *r, enum redact_kind kind, const char *value)
{
    if (!*value || !redacts(r, kind) || stays(kind, value))
        return NULL;
    return arena_strdup(r->arena, find_or_make(r, kind, value));
}

const char *substitute_name(struct redactor *r, const char *name, const char *address)
{
    char tag[TAG_TEXT];
    if (!*name || !redacts(r, REDACT_NAME) || stays(REDACT_NAME, name) ||
        (address && is_nobodys_address(address)))
        return NULL;
    if (!address || !strchr(address, '@') || !redacts(r, REDACT_EMAIL))
        return substitute(r, REDACT_NAME, name);
    /* "person3@org1.example" is Person 3, whatever else she is called */
    unsigned n = 0;
    const char *with = find_or_make(r, REDACT_EMAIL, address);
    if (sscanf(with, "person%u@", &n) != 1)
        return substitute(r, REDACT_NAME, name);
    with = arena_printf(r->arena, "Person %u", n);
    tag_of(r, redact_kinds[REDACT_NAME], name, tag);
    if (!map_get(&r->known, slot_name(r, redact_kinds[REDACT_NAME], tag)))
        keep(r, redact_kinds[REDACT_NAME], tag, with);
    return with;
}

void redacted(struct redactor *r, enum redact_kind kind, const char *with)
{
    r->counts[kind]++;
    if (r->o.place)
        r->o.place(r->o.arg, kind, buf_str(&r->path), with);
}

/* ---- life ---- */

int redactor_new(const struct redactor_options *o, struct redactor **ret_redactor,
                 struct sosia_err *err)
{
    struct redactor *r = calloc(1, sizeof *r);
    if (!r)
        return sosia_fail_memory(err);
    r->o = *o;
    map_init(&r->known);
    buf_init(&r->path, 0);
    if (redact_text_open(r, err) < 0) {
        redactor_free(r);
        return -1;
    }
    *ret_redactor = r;
    return 0;
}

static int free_one(void *arg, const char *key, void *value)
{
    free(value);
    return 0;
}

void redactor_free(struct redactor *r)
{
    if (!r)
        return;
    redact_text_close(r);
    map_each(&r->known, free_one, NULL);
    map_done(&r->known);
    buf_done(&r->path);
    gnutls_memset(r->o.key, 0, sizeof r->o.key);
    free(r);
}

/* Counts go on behind what is known. */
static void count_on(struct redactor *r, const char *kind, const char *with)
{
    const char *digits = with + strcspn(with, "0123456789");
    unsigned n = (unsigned)strtoul(digits, NULL, 10), *to = NULL;
    if (strcmp(kind, "domain") == 0)
        to = &r->domains;
    else if (str_starts(with, "person") || str_starts(with, "Person"))
        to = &r->persons;
    for (size_t i = 0; !to && redact_kinds[i]; i++) {
        if (strcmp(redact_kinds[i], kind) != 0)
            continue;
        to = &r->made[i];
        if (i == REDACT_PHONE || i == REDACT_IP)
            n = *to + 1;
    }
    if (to && n > *to)
        *to = n;
}

int redactor_know(struct redactor *r, const char *kind, const char *tag, const char *with)
{
    struct arena a;
    char *copy = strdup(with);
    arena_init(&a, 0);
    int rc = copy ? map_set(&r->known, arena_printf(&a, "%s %s", kind, tag), copy) : -1;
    if (rc == 0)
        count_on(r, kind, with);
    else
        free(copy);
    arena_done(&a);
    return rc;
}

const char *redact_token(struct redactor *r, struct arena *a, const char *token)
{
    r->arena = a;
    const char *with = substitute(r, REDACT_TOKEN, token);
    return with ? with : token;
}

const char *redact_address(struct redactor *r, struct arena *a, const char *address)
{
    r->arena = a;
    const char *with = substitute(r, REDACT_EMAIL, address);
    return with ? with : address;
}

void redactor_counts(const struct redactor *r, size_t ret_counts[N_REDACT_KINDS])
{
    memcpy(ret_counts, r->counts, sizeof r->counts);
}
