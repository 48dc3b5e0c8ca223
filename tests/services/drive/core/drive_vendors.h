/* SPDX-License-Identifier: Apache-2.0 */
/* Two vendors of drives without a dialect, and a world of one of them: names may repeat in the
 * folders of the loose one; those of the strict one have a name once, whatever its case. */
#ifndef SOSIA_TESTS_DRIVE_VENDORS_H
#define SOSIA_TESTS_DRIVE_VENDORS_H

#include "services/drive/core/names.h"
#include "services/drive/core/vendor.h"

#define DAY_US (INT64_C(86400) * 1000000)
#define ADA    "ada@acme.example"
#define BOB    "bob@acme.example"
#define EVE    "eve@far.example"
#define PEOPLE                                                                                     \
    "\"organizations\":[{\"domain\":\"acme.example\",\"name\":\"Acme\"}],"                         \
    "\"people\":[{\"email\":\"ada@acme.example\"},{\"email\":\"bob@acme.example\"},"               \
    "{\"email\":\"eve@far.example\"}]"

extern const struct drive_vendor loose, strict;
extern const struct drive_vendor *vendor; /* of the two */

/* Is given the events of each transaction; NULL: they are lost. */
extern void (*events_seen)(const struct world_event *first);

extern struct sosia_err fault;
extern struct tx tx;
extern struct actor ada, bob, eve;
extern struct drive_item root; /* Ada's */

void ok(int r);
void refused(int r, const char *reason);
void begin(void);
void end(void); /* commits */
int open_engine(const char *doc);
int open_world(void **state);
/* Two vendors in one world, the first called loose and the second strict, whatever they have. */
int open_pair(const struct drive_vendor *first, const struct drive_vendor *second, const char *doc);
/* Both vendors in one world; Ada has a drive with each. */
int open_both(void **state);

#endif
