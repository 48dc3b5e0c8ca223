/* SPDX-License-Identifier: Apache-2.0 */
/* The members that mailboxes and messages have in seed documents. */
#include "engine/state/own.h"
#include "services/mail/core/seed_impl.h"

#define ADDRESSES "{\"type\":[\"string\",\"array\",\"null\"],\"items\":{\"type\":\"string\"}}"
#define NAMES     "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":[\"string\",\"integer\"]}}"

static const struct member file_members[] = {
    OWN("filename", "Its name", "text"),
    OWN("type", "Its media type; text/plain of a text, else application/octet-stream", "text"),
    OWN("text", "Its bytes as a text", "text"),
    OWN("base64", "The same in base64", "text"),
    OWN("inline", "It is shown within the message", "true or false"),
    OWN("cid", "What the message calls it", "text"),
};
const struct form mail_file_form = FORM("An attachment", file_members);

static const struct member header_members[] = {
    {"name", "Its name", .kind = MEMBER_OWN, .noun = "text", .flags = MEMBER_REQUIRED},
    OWN("value", "Its value", "text"),
};
const struct form mail_header_form = FORM("A further field of the head", header_members);

/* What a message is made of, wherever it is. */
static const struct member piece_members[] = {
    OWN_TYPED("from", "Who writes", "text, or a list", ADDRESSES),
    OWN_TYPED("to", "Who gets it", "text, or a list", ADDRESSES),
    OWN_TYPED("cc", "Who else", "text, or a list", ADDRESSES),
    OWN_TYPED("bcc", "Who else, without the others knowing", "text, or a list", ADDRESSES),
    OWN_TYPED("replyTo", "Where answers go", "text, or a list", ADDRESSES),
    OWN("subject", "Its subject", "text"),
    OWN("date", "Of its head: on the wall clock of the person's zone without an offset", "time"),
    OWN("messageId", "Made up without it", "text"),
    OWN("inReplyTo", "The message that it answers", "text"),
    OWN("references", "The messages before it", "text"),
    OWN_LIST("headers", "Further fields of the head", &mail_header_form),
    OWN("text", "What it says", "text"),
    OWN("html", "The same in HTML", "text"),
    OWN_LIST("attachments", "Its attachments", &mail_file_form),
};
static const struct form piece_form = FORM("What a message is made of", piece_members);

static const struct member letter_members[] = {
    OWN_TYPED("labels", "By the address of who has it: labels by name", "object of lists",
              "{\"type\":[\"object\",\"null\"],\"additionalProperties\":" NAMES "}"),
    PART(&piece_form),
};
const struct form mail_letter_form =
    FORM("A message with its sender and with all who get it", letter_members);

static const struct member message_members[] = {
    OWN("id", "16 hexadecimal digits; made up without it", "text"),
    OWN("thread", "Messages with the same text are one thread", "text"),
    OWN("draft", "The number of the draft that holds it", "text"),
    OWN_TYPED("labels", "Its labels, by name", "list of texts", NAMES),
    OWN("received", "When it came; as its date without it", "time"),
    PART(&piece_form),
    OWN("raw", "Its bytes, in the place of what it is made of", "text"),
    OWN("rawBase64", "The same in base64", "text"),
    OWN_TYPED("importance", "How important it is; as its head says without it", "text",
              "{\"enum\":[\"low\",\"normal\",\"high\",null]}"),
    OWN_TYPED("flag", "Whether it is flagged: a status, or an object with status, from, due, done",
              "text, or an object",
              "{\"type\":[\"string\",\"object\",\"null\"],\"properties\":{\"status\":{\"enum\":"
              "[\"none\",\"flagged\",\"complete\"]},\"from\":{\"type\":\"string\"},\"due\":"
              "{\"type\":\"string\"},\"done\":{\"type\":\"string\"}}}"),
    OWN_TYPED("inference", "Which part of the inbox it is in", "text",
              "{\"enum\":[\"none\",\"focused\",\"other\",null]}"),
    OWN_TYPED("folder", "The folder that it is in, of vendors that have folders", "text",
              "{\"type\":[\"string\",\"integer\",\"null\"]}"),
    OWN("categories", "Names, of vendors that have folders", "list of texts"),
};
const struct form mail_message_form = FORM("A message in a mailbox", message_members);

static const struct member answered_members[] = {
    {"email", "Who has had the answer", .kind = MEMBER_OWN, .noun = "text",
     .flags = MEMBER_REQUIRED},
    OWN("at", "When; the present without it", "time"),
};
const struct form mail_answered_form =
    FORM("Somebody who has had the automatic answer", answered_members);

static const struct member mailbox_members[] = {
    {"person", "The address of the person whose it is", .kind = MEMBER_OWN, .noun = "text",
     .flags = MEMBER_REQUIRED},
    OWN("vendor", "Of a person with several: that of the account that owns it", "text"),
    OWN("labels", "Labels of its owner's", "list"),
    OWN("folders", "Folders of its owner's, of vendors that have such", "list"),
    OWN_LIST("messages", "Its messages", &mail_message_form),
    OWN_LIST("answered", "Who has had the automatic answer", &mail_answered_form),
};
const struct form mail_mailbox_form = FORM("A mailbox", mailbox_members);
