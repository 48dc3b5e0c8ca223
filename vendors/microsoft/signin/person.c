/* SPDX-License-Identifier: Apache-2.0 */
/* Who signs in: pages of the authority believe a password of the seed document, a consent link or a
 * token of the person's own, and nobody's word. */
#include "engine/base/codec.h"
#include "vendors/microsoft/signin/internal.h"

int authority_password(struct call *c, const struct authority *a, const char *name,
                       const char *password, struct person *ret)
{
    struct ms_user user;
    int r = ms_user_find(&c->tx, name, a->tenant.id, &user);
    if (r < 0)
        return -1;
    if (!r)
        return authority_fail(c, SOSIA_E_INVALID, "invalid_grant", 50034,
                              "The user account %.100s does not exist in the %.100s directory. To "
                              "sign into this application, the account must be added to the "
                              "directory.",
                              name, a->text);
    if (!user.password || !ident_same_secret(password, user.password))
        return authority_fail(c, SOSIA_E_INVALID, "invalid_grant", 50126,
                              "Error validating credentials due to invalid username or password.");
    *ret = (struct person){.by_password = true};
    if (actor_by_id(&c->tx, user.actor, &ret->who) != 1)
        return -1;
    ret->user = user;
    return authority_check_user(c, a, &ret->who, &user);
}

int authority_named_user(struct call *c, const struct authority *a, struct person *ret)
{
    const char *hint = authority_param(c, "login_hint");
    struct ms_user user;
    int r = hint ? ms_user_find(&c->tx, hint, a->tenant.id, &user) : 0;
    if (r < 0)
        return -1;
    bool own = r == 1 && user.actor == ret->who.id;
    return authority_user_of(c, a, own ? user.account : c->account, &ret->who, &ret->user);
}

int authority_person(struct call *c, const struct authority *a, const char *scopes,
                     struct person *ret)
{
    const char *name = authority_param(c, "login"), *password = authority_param(c, "passwd");
    *ret = (struct person){0};
    if (name && password)
        return authority_password(c, a, name, password, ret) < 0 ? -1 : 1;
    int r = consent_proof(c, scopes, &ret->proof);
    if (r != 1)
        return r;
    ret->who = ret->proof.who;
    return authority_named_user(c, a, ret) < 0 ? -1 : 1;
}

void authority_fields(struct call *c, struct buf *b, const char *hint)
{
    buf_puts(b, "<label>Name: <input name=\"login\" autocomplete=\"off\" value=\"");
    html_add(b, hint ? hint : "");
    buf_puts(b, "\"></label>\n<label>Password: <input name=\"passwd\" type=\"password\" "
                "autocomplete=\"off\"></label>\n<p>The password is that of the seed document "
                "(<code>microsoftUsers</code>). In its place a consent link will do, which "
                "<code>sosia consent PERSON</code> prints.</p>\n<label>Consent link: <input name=\""
                "" CONSENT_LINK "\" autocomplete=\"off\" size=\"40\"></label>\n");
}

int authority_page(struct call *c)
{
    struct buf b;
    buf_init(&b, 8192);
    buf_puts(&b, "<p>Sorry, but we\xE2\x80\x99re having trouble signing you in.</p>\n<p>");
    html_add(&b, authority_text(c));
    buf_puts(&b, "</p>\n");
    page_show(c, 400, "Sign in", buf_keep(&b, c->tx.arena));
    return 0;
}

int authority_form_is_ours(struct call *c, const char *about)
{
    enum page_origin from = page_origin(c, about);
    if (from == PAGE_OURS)
        return 1;
    page_show(c, from == PAGE_OTHER_ORIGIN ? 403 : 400, "Sign in",
              from == PAGE_OTHER_ORIGIN ? "<p>The form was sent by a page of another origin.</p>\n"
                                        : "<p>" PAGE_MARK
                                          " must be the one of the page's form.</p>\n");
    return 0;
}

void authority_list_scopes(struct call *c, struct buf *b, const char *scopes)
{
    buf_puts(b, "<ul>\n");
    for (size_t n; *scopes; scopes += n + strspn(scopes + n, " ")) {
        n = strcspn(scopes, " ");
        buf_puts(b, "<li><code>");
        html_add(b, arena_memdup(c->tx.arena, scopes, n));
        buf_puts(b, "</code>\n");
    }
    buf_puts(b, "</ul>\n");
}
