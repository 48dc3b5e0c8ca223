-- The index of words. It keeps no texts: a message is taken out with the words that it was put in with. Words come
-- folded and separated by blanks (search.c); "extra" has what words without a field don't find, each with a mark in
-- front ("d:" delivered to, "r:" reply to, "l:" list, "u:" link, "h:" has, "z:" class of size).
create virtual table mail_words using fts5(
    sender, recipient, cc, bcc, subject, body, files, extra,
    content = '', columnsize = 0,
    tokenize = "ascii tokenchars '!#$%&''()*+,-./:;<=>?@[\]^_`{|}~'");
