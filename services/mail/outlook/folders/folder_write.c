/* SPDX-License-Identifier: Apache-2.0 */
/* Mail folders as Graph answers them, search folders among them. */
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/folders/search_folder.h"

int outlook_write_folder_members(struct call *c, const struct outlook_box *b,
                                 const struct mail_folder *f, bool type)
{
    struct json_writer *w = c->out;
    struct arena *a = c->tx.arena;
    int64_t children = 0, size = 0, all = f->messages, unread = f->unread;
    struct outlook_search_folder s;
    const int searches = outlook_search_folder_of(&c->tx, f, &s);
    if (searches < 0 ||
        (searches && (json_wants(w, "totalItemCount") || json_wants(w, "unreadItemCount")) &&
         outlook_search_folder_count(c, b, &s, &all, &unread) < 0) ||
        (json_wants(w, "childFolderCount") &&
         mail_folder_children(&c->tx, b->mailbox.id, f->id, &children) < 0) ||
        (json_wants(w, "sizeInBytes") && mail_folder_size(&c->tx, f, &size) < 0))
        return -1;
    if (type || searches)
        json_str(w, "@odata.type",
                 searches ? "#microsoft.graph.mailSearchFolder" : "#microsoft.graph.mailFolder");
    json_str(w, "id", outlook_folder_text(a, b, f->id));
    json_str(w, "displayName", f->name);
    json_str(w, "parentFolderId", outlook_folder_text(a, b, f->parent));
    json_int(w, "childFolderCount", children);
    json_int(w, "unreadItemCount", unread);
    json_int(w, "totalItemCount", all);
    json_int(w, "sizeInBytes", size);
    if (graph_is_beta(c)) {
        const char *known = outlook_known_name(f->id ? mail_folder_place(f->id) : FOLDER_ROOT);
        if (known)
            json_str(w, "wellKnownName", known);
        else
            json_null(w, "wellKnownName");
    }
    json_bool(w, "isHidden", f->hidden);
    if (!searches)
        return 0;
    json_bool(w, "isSupported", true);
    json_bool(w, "includeNestedFolders", s.nested);
    if (s.sources)
        json_value(w, "sourceFolderIds", s.sources);
    json_str(w, "filterQuery", s.filter);
    return 0;
}

int outlook_write_folder(struct call *c, const char *member, const struct outlook_box *b,
                         const struct mail_folder *f)
{
    json_obj(c->out, member);
    int r = outlook_write_folder_members(c, b, f, false);
    json_end(c->out);
    return r;
}
