/* SPDX-License-Identifier: Apache-2.0 */
/* Members of sections that read and write their items themselves: the table says which there are,
 * for the reader (form_known()), for people and for editors. */
#ifndef SOSIA_STATE_OWN_H
#define SOSIA_STATE_OWN_H

#include "engine/state/form.h"

/* what: its type for people: "text", "time", "true or false", "list", "list of texts". */
#define OWN(member, text, what)                                                                    \
    {                                                                                              \
        .name = (member), .about = (text), .kind = MEMBER_OWN, .noun = (what)                      \
    }
/* One that dumps say in other members. */
#define OWN_GIVEN(member, text, what)                                                              \
    {                                                                                              \
        .name = (member), .about = (text), .kind = MEMBER_OWN, .noun = (what),                     \
        .flags = MEMBER_GIVEN                                                                      \
    }
#define OWN_NEEDED(member, text)                                                                   \
    {                                                                                              \
        .name = (member), .about = (text), .kind = MEMBER_OWN, .noun = "text",                     \
        .flags = MEMBER_REQUIRED                                                                   \
    }
/* A list of items that have a form. */
#define OWN_LIST(member, text, its_form)                                                           \
    {                                                                                              \
        .name = (member), .about = (text), .kind = MEMBER_OWN, .form = (its_form)                  \
    }
/* By its JSON Schema. */
#define OWN_TYPED(member, text, what, json)                                                        \
    {                                                                                              \
        .name = (member), .about = (text), .kind = MEMBER_OWN, .noun = (what), .schema = (json)    \
    }
#define OWN_OBJECT "{\"type\":[\"object\",\"null\"]}"
#define OWN_NUMBER "{\"type\":[\"integer\",\"null\"]}"

#endif
