/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What queries of services about their own rows say of identity's: expressions of SQL, so that one
 * statement answers where a call for each row would. Arguments are expressions too: a column with
 * its table's name ("c.owner") or a parameter. For everything else there are functions.
 */
#ifndef SOSIA_IDENTITY_SQL_H
#define SOSIA_IDENTITY_SQL_H

/* Of an actor; NULL: there is none, or it has none. */
#define IDENT_SQL_EMAIL(actor)  "(select o_.email from ident_actor o_ where o_.id = " actor ")"
#define IDENT_SQL_HANDLE(actor) "(select o_.handle from ident_actor o_ where o_.id = " actor ")"
/* Rows, for joins: of actors, of their other addresses, of organisations. */
#define IDENT_SQL_ACTORS  "(select id, email, handle, name, kind from ident_actor)"
#define IDENT_SQL_ALIASES "(select actor, email from ident_alias)"
#define IDENT_SQL_ORGS    "(select domain, name from ident_org)"
/* The account is of this actor and vendor. */
#define IDENT_SQL_IS_ACCOUNT(account, actor, vendor)                                               \
    "exists (select 1 from ident_account o_ where o_.id = " account " and o_.actor = " actor       \
    " and o_.vendor = " vendor ")"

/* Rows, for joins: of apps, of what people agreed to, of refresh tokens, of service accounts. */
#define IDENT_SQL_APPS     "(select id, client_id, name, vendor, section from ident_app)"
#define IDENT_SQL_CONSENTS "(select id, app, actor, scopes from ident_consent)"
#define IDENT_SQL_GRANTS   "(select id, token from ident_grant)"
#define IDENT_SQL_SERVICES "(select id, actor from ident_service)"
/* Tokens of people for an app: has an actor one; rows of app and actor. */
#define IDENT_SQL_HAS_USER_TOKEN(app, actor)                                                       \
    "exists (select 1 from ident_token o_ where o_.app = " app " and o_.actor = " actor            \
    " and o_.kind = 1)"
#define IDENT_SQL_USER_TOKENS "(select app, actor from ident_token where kind = 1)"
#define IDENT_SQL_IS_APP_SECRET(secret)                                                            \
    "exists (select 1 from ident_app o_ where " secret " in (o_.secret, o_.signing_secret))"
/* An organisation, or anybody's address, is of the domain; pattern: "%@" and the domain. */
#define IDENT_SQL_IS_DOMAIN(domain, pattern)                                                       \
    "(exists (select 1 from ident_org o_ where o_.domain = " domain                                \
    ") or exists (select 1 from ident_actor o_ where o_.email like " pattern "))"

#endif
