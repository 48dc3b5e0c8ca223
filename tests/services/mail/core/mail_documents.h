/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of mailboxes: with everything that one can say, and such as are refused. ' is written
 * for ". */
#ifndef SOSIA_TESTS_MAIL_DOCUMENTS_H
#define SOSIA_TESTS_MAIL_DOCUMENTS_H

#define MAIL_PEOPLE                                                                                \
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','organizations':[{'domain':'acme.example','name':'"  \
    "Acme'}],'people':["                                                                           \
    "{'email':'ada@acme.example','name':'Ada','zone':'Europe/"                                     \
    "Rome'},{'email':'bob@acme.example','name':'Bob'}],"

static const char *const mail_documents[] = {
    "'mailboxes':[{'person':'ada@acme.example','messages':[{'id':'00000000000000a1','from':'Bob "
    "<bob@acme.example>',"
    "'to':['ada@acme.example','Eve <eve@far.example>'],'cc':'c@far.example','bcc':'b@far.example',"
    "'replyTo':'r@far.example','subject':'Plans','date':'2026-11-20T10:00:00','received':'2026-11-"
    "20T10:00:05Z',"
    "'messageId':'<1@far.example>','headers':[{'name':'X-One','value':'1'}],'text':'Here they "
    "are.\\n',"
    "'html':'<p>Here <b>they</b> "
    "are.</p>','attachments':[{'filename':'plan.csv','type':'text/csv','text':'a,b\\r\\n'},"
    "{'filename':'logo.png','type':'image/"
    "png','base64':'iVBORw0KGgo=','inline':true,'cid':'logo'},{'filename':'n','text':'x'}],"
    "'importance':'high','flag':{'status':'flagged'}},"
    "{'from':'ada@acme.example','to':'bob@acme.example','subject':'Re: "
    "Plans','inReplyTo':'<1@far.example>',"
    "'references':'<0@far.example> "
    "<1@far.example>','date':'2026-11-21T10:00:00+01:00','text':'Thanks'},"
    "{'draft':'77','to':'bob@acme.example','subject':'Draft','text':'not yet'},"
    "{'raw':'From: Bob <bob@acme.example>\\r\\nSubject: Raw\\r\\n\\r\\nAs it "
    "came.\\r\\n','received':'2026-11-20T10:05:00+01:00'},"
    "{'rawBase64':'U3ViamVjdDogQjY0DQoNCnRleHQNCg==','received':'2026-11-20T10:06:00Z'}],"
    "'answered':[{'email':'eve@far.example','at':'2026-11-20T10:05:00Z'}]}]",
    "'mail':[{'from':'Bob "
    "<bob@acme.example>','to':['ada@acme.example','x@port.example'],'cc':'ada@acme.example',"
    "'subject':'All','date':'2026-11-20T10:00:00','text':'Here.','attachments':[{'filename':'a','"
    "text':'b'}]}]",
};

/* Of a vendor with labels, and of one with folders. */
static const char MAIL_LABELS[] =
    "'mailboxes':[{'person':'ada@acme.example','labels':[{'name':'Work','number':7,'kind':'folder'}"
    ","
    "{'name':'Plans','parent':'Work','kind':'folder','hidden':true},{'name':'Key','kind':'keyword'}"
    "],'messages':["
    "{'from':'b@far.example','subject':'S','labels':['inbox','Work','first']},"
    "{'from':'b@far.example','subject':'T','labels':[]}]}]";
static const char MAIL_FOLDERS[] =
    "'mailboxes':[{'person':'ada@acme.example','folders':[{'name':'Work','number':7,'kind':'folder'"
    "},"
    "{'name':'Plans','parent':'Work','kind':'folder','hidden':true}],'messages':["
    "{'from':'b@far.example','subject':'S','folder':'Work','labels':['flagged'],'categories':['a','"
    "b']},"
    "{'from':'b@far.example','subject':'T','folder':'archive','labels':['unseen','answered']}]}]";

#define BOX(members)    "'mailboxes':[{'person':'ada@acme.example'," members "}]"
#define LETTER(members) BOX("'messages':[{" members "}]")
static const char *const mail_wrong[] = {
    "'mailboxes':{}",
    "'mailboxes':[{}]",
    "'mailboxes':[{'person':'x'}]",
    "'mailboxes':[{'person':'zed@acme.example'}]",
    BOX("'x':1"),
    BOX("'vendor':'none'"),
    BOX("'messages':{}"),
    BOX("'answered':[{}]"),
    BOX("'answered':[{'email':'a@b.example','at':'x'}]"),
    LETTER("'x':1"),
    LETTER("'id':'x'"),
    LETTER("'from':1"),
    LETTER("'date':'x'"),
    LETTER("'received':'x'"),
    LETTER("'raw':'x','text':'y'"),
    LETTER("'raw':'x','rawBase64':'eA=='"),
    LETTER("'rawBase64':'?'"),
    LETTER("'headers':[{'name':'a b','value':'c'}]"),
    LETTER("'headers':[{'value':'c'}]"),
    LETTER("'headers':{}"),
    LETTER("'attachments':[{}]"),
    LETTER("'attachments':[{'text':'x','base64':'eA=='}]"),
    LETTER("'attachments':[{'x':1}]"),
    LETTER("'attachments':[{'base64':'?'}]"),
    LETTER("'importance':'x'"),
    LETTER("'flag':'x'"),
    LETTER("'categories':1"),
    LETTER("'labels':['none']"),
    LETTER("'labels':1"),
    LETTER("'folder':'none'"),
    LETTER("'draft':1"),
    LETTER("'id':'00000000000000a1'},{'id':'00000000000000a1'"),
    "'mail':[{'x':1}]",
    "'mail':[{'from':'zed@acme.example'}]",
    "'mail':[{'from':'bob@acme.example','to':'ada@acme.example','labels':1}]",
    "'mail':[{'from':'bob@acme.example','to':'ada@acme.example','labels':{'zed@acme.example':[]}}]",
};

#endif
