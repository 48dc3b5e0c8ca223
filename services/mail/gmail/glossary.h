/* SPDX-License-Identifier: Apache-2.0 */
/* What parameters of the API are, by their names. */
#ifndef SOSIA_GMAIL_GLOSSARY_H
#define SOSIA_GMAIL_GLOSSARY_H

#include "engine/api/vendor.h"

static const struct gloss glossary[] = {
    {"chainValidation", "Whether the certificates' chains must be valid"},
    {"cseEmailAddress", "Address whose identity of client-side encryption it is"},
    {"delegateEmail", "Address of the person who may read and write for the mailbox's owner"},
    {"deleted",
     "Whether the message goes to those that are deleted for good, which only administrators see"},
    {"emailAddress", "Address whose identity of client-side encryption is changed"},
    {"format", "How much of the message the response has"},
    {"forwardingEmail", "Address that mail is forwarded to"},
    {"historyTypes", "Only changes of these kinds; may be given several times"},
    {"id",
     "Id of the message, draft, thread, label, filter or certificate that the method is about"},
    {"includeSpamTrash", "Whether messages in SPAM and TRASH are listed too"},
    {"internalDateSource",
     "Where the message's time comes from: when it was received, or its Date header"},
    {"keyPairId", "Id of the pair of keys"},
    {"labelId", "Only changes of messages with this label"},
    {"labelIds", "Only those that have all of these labels; may be given several times"},
    {"maxResults", "How many items a page has at most"},
    {"messageId", "Id of the message that the attachment is in"},
    {"metadataHeaders", "With format metadata: only these headers; may be given several times"},
    {"neverMarkSpam", "Whether the message is kept out of SPAM, whatever it looks like"},
    {"pageSize", "How many items a page has at most"},
    {"pageToken", "nextPageToken of the page before"},
    {"processForCalendar", "Whether invitations in the message go into the calendar"},
    {"q", "Query as in the search box: from:ann is:unread newer_than:2d"},
    {"sendAsEmail", "Address that mail is sent as"},
    {"startHistoryId",
     "historyId of a message, thread or earlier list: only what has changed since"},
    {"userId", "Address of the mailbox; me is the caller's own"},
};

#endif
