/* SPDX-License-Identifier: Apache-2.0 */
/* The drive core's interface to the engine. */
#include "identity/sql.h"
#include "services/drive/core/access/share.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/revision.h"
#include "services/drive/core/seed_impl.h"

extern const char drive_sql[];

static int drive_due(struct tx *tx, const char *kind, int64_t ref)
{
    if (strcmp(kind, DUE_GRANT) == 0)
        return drive_share_expired(tx, ref);
    if (strcmp(kind, DUE_REVISION) == 0)
        return drive_revision_due(tx, ref);
    return strcmp(kind, DUE_TRASH) == 0 ? drive_trash_due(tx, ref) : 0;
}

/* What other cores name (file_find): a link without a resource key is enough to see what it
 * gives. */
static int drive_file(struct tx *tx, const struct actor *who, const char *id, struct file_ref *ret)
{
    static const struct actor nobody = {.handle = "", .email = "", .kind = "", .name = ""};
    struct drive_viewer v;
    struct drive_item it;
    struct drive_access at;
    int r = drive_item_by_key(tx, id, &it);
    if (r < 1)
        return r;
    drive_viewer(tx, who ? who : &nobody, &v);
    if (drive_role(&v, &it, &at) < 0)
        return -1;
    if (at.role < ROLE_READER)
        return 0;
    *ret = (struct file_ref){.title = it.name, .type = it.mime};
    return 1;
}

static const struct section sections[] = {
    {.name = "sharedDrives",
     .seed = shared_drives_seed,
     .dump = shared_drives_dump,
     .form = &drive_shared_form},
    {.name = "files", .seed = files_seed, .dump = files_dump, .form = &drive_file_form},
};

static const struct question_view questions[] = {
    {"files", "id, name, mime, owner, parent, trashed, size",
     "select i.key, i.name, i.mime, " IDENT_SQL_HANDLE(
         "i.owner") ", p.key, i.flags & 1, i.size from drive_item i left join drive_item p on p.id "
                    "= i.parent where i.top = 0 and i.id not in " DRIVE_GONE},
    {"grants", "file, kind, who, role",
     "select i.key, case g.kind when 1 then 'person' when 2 then 'group' when 3 then 'domain' else "
     "'anyone' end, g.who, case g.role when 0 then 'none' when 1 then 'metadata' when 2 then "
     "'reader' when 3 then 'commenter' when 4 then 'writer' when 5 then 'fileOrganizer' when 6 "
     "then 'organizer' else 'owner' end from drive_grant g join drive_item i on i.id = g.item "
     "where g.item not in " DRIVE_GONE},
    {NULL, NULL, NULL},
};

/* A file of theirs is shared with them. */
static int drive_knows(struct tx *tx, const struct actor *actor, const char *address)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from drive_grant g join drive_item i on i.id = g.item where g.kind = 1 "
                 "and g.who = :address and g.role > 0 and i.owner = :actor limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, address, actor->id);
}

const struct sosia_core drive_core = {
    .name = DRIVE_CORE,
    .schema = drive_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = drive_entities,
    .n_entities = DRIVE_ENTITIES,
    .questions = questions,
    .due = drive_due,
    .file = drive_file,
    .rules = drive_rules,
    .check = drive_check,
    .derive = drive_derive,
    .knows = drive_knows,
};
