/* SPDX-License-Identifier: Apache-2.0 */
/* OData's options of Outlook's lists and things. */
#include "services/mail/outlook/settings/options.h"
#include "engine/base/codec.h"
#include "services/mail/outlook/value.h"
#include "vendors/microsoft/query.h"

const char *const outlook_paths[] = {[PATH_ID] = "id",
                                     [PATH_RECEIVED] = "receivedDateTime",
                                     [PATH_CREATED] = "createdDateTime",
                                     [PATH_SENT] = "sentDateTime",
                                     [PATH_MODIFIED] = "lastModifiedDateTime",
                                     [PATH_READ] = "isRead",
                                     [PATH_DRAFT] = "isDraft",
                                     [PATH_FOLDER] = "parentFolderId",
                                     [PATH_SUBJECT] = "subject",
                                     [PATH_FROM] = "from/emailAddress/address",
                                     [PATH_FROM_NAME] = "from/emailAddress/name",
                                     [PATH_SENDER] = "sender/emailAddress/address",
                                     [PATH_SENDER_NAME] = "sender/emailAddress/name",
                                     [PATH_IMPORTANCE] = "importance",
                                     [PATH_FILES] = "hasAttachments",
                                     [PATH_MESSAGE_ID] = "internetMessageId",
                                     [PATH_CONVERSATION] = "conversationId",
                                     [PATH_FLAG] = "flag/flagStatus",
                                     [PATH_CATEGORIES] = "categories",
                                     [PATH_INFERENCE] = "inferenceClassification",
                                     [PATH_PREVIEW] = "bodyPreview",
                                     [PATH_BODY] = "body/content",
                                     [PATH_CHANGE_KEY] = "changeKey",
                                     [PATH_SINGLE] = "singleValueExtendedProperties",
                                     [PATH_EXTENSIONS] = "extensions",
                                     [PATH_MENTIONED] = "mentionsPreview/isMentioned",
                                     NULL};

int outlook_options(struct call *c, const char *type, struct odata_query *ret)
{
    const struct odata_rules rules = {
        .known = outlook_paths, .max_top = strcmp(type, "message") == 0 ? OUTLOOK_MAX_PAGE : 0};
    if (graph_query(c, type, &rules, ret) < 0)
        return -1;
    return outlook_is_basic(c) ? graph_check_basic(c, ret) : 0;
}

int outlook_page(struct call *c, const struct odata_query *q, size_t otherwise, size_t *ret_from,
                 size_t *ret_n)
{
    const char *size = graph_prefer(c, "odata.maxpagesize");
    int64_t preferred;
    *ret_n = otherwise;
    *ret_from = q->skip > 0 ? (size_t)q->skip : 0;
    if (size && parse_i64(size, strlen(size), &preferred) == 0 && preferred > 0) {
        *ret_n = preferred > OUTLOOK_MAX_PAGE ? OUTLOOK_MAX_PAGE : (size_t)preferred;
        graph_applied(c, "odata.maxpagesize", size, false);
    }
    if (q->top == 0)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidUrlQuery", NULL,
                         "The query specified in the URI is not valid. '$top' must be greater than "
                         "0.");
    if (q->top > 0)
        *ret_n = q->top > 100000 ? 100000 : (size_t)q->top;
    return 0;
}

int outlook_select(struct call *c, const struct odata_query *q, bool list)
{
    const bool item = edm_property_find(q->type, "changeKey", strlen("changeKey")) != NULL;
    return graph_select(c, q, ODATA_KEEP_ID | (item ? ODATA_KEEP_ETAG : 0), list);
}
