/* SPDX-License-Identifier: Apache-2.0 */
/* The interface to the engine of what Drive keeps besides items: what people ask of each other
 * about files, labels, keys and administrators of organisations, prepared downloads. */
#include "engine/state/own.h"
#include "services/drive/core/part.h"
#include "services/drive/core/vendor.h"
#include "services/drive/google/gdrive.h"
#include "services/drive/google/org/admin.h"
#include "services/drive/google/org/key_service.h"
#include "services/drive/google/org/label.h"
#include "services/drive/google/sharing/ask.h"
#include "vendors/google/sql.h"

extern const char gdrive_sql[], gdrive_label_sql[], gdrive_upgrade_sql[];

#define NO_TIME(column) column " not between -62135596800000000 and 253402300799999999"
#define NO_JSON(column, type)                                                                      \
    "case when " column " is null then 0 when json_valid(" column ") then json_type(" column       \
    ") <> '" type "' else 1 end"

/* ---- labels, which come before the files that have them ---- */

static const struct section label_sections[] = {
    {.name = "driveLabels",
     .seed_one = gdrive_label_seed,
     .ids = SECTION_IDS("select id from gdrive_label order by id"),
     .dump_one = gdrive_label_dump,
     .form = &gdrive_label_form},
};

static const struct core_rule label_rules[] = {
    {"gdrive_label", NO_JSON("definition", "object")},
    {"gdrive_labelled", NO_JSON("content", "object")},
    {"gdrive_labelled", "json_valid(content) and exists (select 1 from json_each(content) f where "
                        "f.type <> 'array' or exists (select 1 from json_each(f.value) v where "
                        "v.type <> 'text'))"},
    {NULL, NULL},
};

const struct sosia_core drive_google_labels_core = {
    .name = "drive.google.labels",
    .schema = gdrive_label_sql,
    .sections = label_sections,
    .n_sections = SOSIA_LEN(label_sections),
    .rules = label_rules,
};

/* ---- the rows of an item that goes ---- */

int gdrive_item_drop(struct tx *tx, int64_t item, int64_t *rows)
{
    static struct drive_part parts[] = {
        DRIVE_PART("gdrive_labelled", "label", "label"),
        DRIVE_PART_OF(
            "gdrive_reviewer", "(approval, place)", "r.approval, r.place",
            "gdrive_approval a join gdrive_reviewer r on r.approval = a.id where a.item = :item"),
        DRIVE_PART("gdrive_approval", "id", "id"),
        DRIVE_PART("gdrive_proposal", "id", "id"),
    };
    return drive_drop_parts(tx, parts, SOSIA_LEN(parts), item, rows);
}

/* ---- entities ---- */

static const struct entity_part proposal_parts[] = {
    {.table = DRIVE_GONE_TABLE,
     .owner = ENTITY_OWNER(DRIVE_GONE_WITH
                           "select p.id from gone g join gdrive_proposal p on p.item = g.id")},
    {0},
};
static const struct entity_part approval_parts[] = {
    {.table = DRIVE_GONE_TABLE,
     .owner = ENTITY_OWNER(DRIVE_GONE_WITH
                           "select a.id from gone g join gdrive_approval a on a.item = g.id")},
    {0},
};

static const struct entity entities[] = {
    {.name = "accessProposal",
     .table = "gdrive_proposal",
     .parts = proposal_parts,
     .stored = &gdrive_proposal_stored},
    {.name = "driveApproval",
     .table = "gdrive_approval",
     .parts = approval_parts,
     .stored = &gdrive_approval_stored},
    {"driveAdministrator", "gdrive_admin", gdrive_admin_key, gdrive_admin_dump, NULL,
     "administrator"},
};

/* ---- the core ---- */

static const struct member channel_members[] = {
    PART(&google_channel_form),
    OWN("file", "The file", "text"),
    OWN("drive", "The shared drive", "text"),
};
const struct form gdrive_channel_form = FORM("A channel of drives", channel_members);

static const struct section sections[] = {
    {.name = "accessProposals",
     .stored = &gdrive_proposal_stored,
     .ids = SECTION_IDS("select id from gdrive_proposal where item not in " DRIVE_GONE
                        " order by id")},
    {.name = "driveApprovals",
     .stored = &gdrive_approval_stored,
     .ids = SECTION_IDS("select id from gdrive_approval where item not in " DRIVE_GONE
                        " order by id")},
    {.name = "driveKeyServices",
     .stored = &gdrive_key_service_stored,
     .ids = SECTION_IDS("select id from gdrive_key_service order by domain")},
    {.name = "driveAdministrators",
     .seed_one = gdrive_admin_seed,
     .dump = gdrive_admins_dump,
     .schema = gdrive_admins_schema},
    {.name = "driveChannels",
     .seed_one = gdrive_channel_seed,
     .ids = SECTION_IDS("select c.id from " GOOGLE_SQL_CHANNELS
                        " c where c.kind glob 'drive.*' order by c.name"),
     .dump_one = gdrive_channel_dump,
     .form = &gdrive_channel_form},
};

static const struct core_rule rules[] = {
    {"google_channel",
     "kind glob 'drive.*' and not case kind when 'drive.feed' then ref = actor else kind in "
     "('drive.file', 'drive.driveFeed') end"},
    {"gdrive_proposal", "key = '' or recipient = ''"},
    {"gdrive_proposal", NO_JSON("roles", "array")},
    {"gdrive_proposal", NO_TIME("created_us")},
    {"gdrive_approval", "key = ''"},
    {"gdrive_approval", NO_TIME("created_us")},
    {"gdrive_approval", NO_TIME("modified_us")},
    {"gdrive_approval", NO_TIME("completed_us")},
    {"gdrive_approval", NO_TIME("due_us")},
    {NULL, NULL},
};

/* What is watched is there. */
static int check(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select c.ref from " GOOGLE_SQL_CHANNELS
                                        " c where c.kind in ('drive.file', 'drive.driveFeed') and "
                                        "c.ref > :after order by c.ref limit 1");
    int64_t ref = 0;
    int r;
    while ((r = TX_INT(tx, &q, &ref, ref)) == 1) {
        const char *key;
        int there = drive_item_key(tx, ref, &key);
        if (there < 1)
            return there < 0 ? -1
                             : tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                                       "google_channel: there is no item %lld", (long long)ref);
    }
    return r;
}

static const struct core_policy policies[] = {{DRIVE_CORE, "google", &gdrive_vendor},
                                              {NULL, NULL, NULL}};

/* A drive has no row of its own until there is something in it. */
static const struct provision provisions[] = {
    {"google", ACCOUNT_DRIVE, "person service", true, NULL},
    {NULL, 0, NULL, false, NULL},
};

/* From the formats of releases: docs/internals.md, Upgrades. */
static const struct core_upgrade upgrades[] = {{.from = "sosia 2", .sql = gdrive_upgrade_sql},
                                               {.from = NULL}};

const struct sosia_core drive_google_core = {
    .name = "drive.google",
    .provisions = provisions,
    .schema = gdrive_sql,
    .upgrades = upgrades,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .views = gdrive_views,
    .events = gdrive_channel_events,
    .rules = rules,
    .check = check,
    .policies = policies,
};
