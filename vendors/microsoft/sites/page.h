/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of sites: the rows. */
#ifndef SOSIA_MICROSOFT_PAGE_H
#define SOSIA_MICROSOFT_PAGE_H

#include "engine/state/stored.h"
#include "vendors/microsoft/sites/sites.h"

struct site_page {
    int64_t id, site;
    const char *key, *name, *title, *description;
    const char *layout, *promotion, *head, *canvas; /* head, canvas: JSON; NULL: none */
    bool comments, recommends;
    int64_t creator, modifier, made_us, changed_us, version, published, draft;
};
extern struct stored pages_stored;
extern const char *const site_page_layouts[], *const site_page_promotions[];

#endif
