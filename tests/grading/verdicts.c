/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts of suites of version 0.1 as that language has them, and what version 1 adds, over diffs
 * that are given as documents. */
#include "tests/support/verdict.h"

/* ---- predicates ---- */

struct predicate_case {
    const char *predicate, *value; /* with ' for "; value NULL: absent */
    bool holds;
};

static void check(const struct predicate_case *cases, size_t n, const char *version)
{
    for (size_t i = 0; i < n; i++) {
        const struct predicate_case *c = &cases[i];
        const char *suite = arena_printf(
            &test_arena,
            "{'version':'%s','assertions':[{'diff_type':'added','entity':'t','where':{'v':%s}}]}",
            version, c->predicate);
        const char *diff =
            c->value ? arena_printf(&test_arena, "{'inserts':[{'__table__':'t','v':%s}]}", c->value)
                     : "{'inserts':[{'__table__':'t'}]}";
        if (true_at(grade(suite, diff), "passed") != c->holds)
            fail_msg("%s of %s must %shold", c->predicate, c->value, c->holds ? "" : "not ");
    }
}

static void predicates_of_version_0_1(void **state)
{
    (void)state;
    static const struct predicate_case cases[] = {
        {"'a'", "'a'", true},
        {"'a'", "'b'", false},
        {"5", "5", true},
        {"5", "5.0", true},
        {"null", NULL, true},
        {"null", "0", false},
        {"true", "true", true},
        {"{}", "'x'", true},
        {"{'eq':'a'}", "'a'", true},
        {"{'eq':'a'}", "'A'", false},
        {"{'eq':1}", "'1'", false},
        {"{'eq':[1,2]}", "[1,2]", true},
        {"{'eq':[1,2]}", "[2,1]", false},
        {"{'eq':{'a':1,'b':2}}", "{'b':2,'a':1}", true},
        {"{'ne':'a'}", "'b'", true},
        {"{'ne':'a'}", "'a'", false},
        {"{'ne':'a'}", NULL, true},
        {"{'in':['a','b']}", "'b'", true},
        {"{'in':['a','b']}", "'c'", false},
        {"{'in':[1,2]}", "2", true},
        {"{'in':'abc'}", "'b'", true},
        {"{'in':'abc'}", "1", false},
        {"{'not_in':['a']}", "'b'", true},
        {"{'not_in':['a']}", "'a'", false},
        {"{'not_in':['a']}", NULL, true},
        {"{'contains':'ell'}", "'hello'", true},
        {"{'contains':'Ell'}", "'hello'", false},
        {"{'contains':'1'}", "123", false},
        {"{'contains':'x'}", NULL, false},
        {"{'contains':'bob@x'}", "[{'email':'bob@x'}]", true},
        {"{'contains':'\\\"a\\\":1'}", "{'a':1,'b':2}", true},
        {"{'not_contains':'x'}", "'hello'", true},
        {"{'not_contains':'ell'}", "'hello'", false},
        {"{'not_contains':'x'}", NULL, false},
        {"{'not_contains':'x'}", "1", false},
        {"{'i_contains':'ELL'}", "'hello'", true},
        {"{'i_contains':'\u00c9T\u00c9'}", "'un \u00e9t\u00e9'", true},
        {"{'i_contains':'ete'}", "'un \u00e9t\u00e9'", false},
        {"{'starts_with':'he'}", "'hello'", true},
        {"{'starts_with':'He'}", "'hello'", false},
        {"{'starts_with':'hello, you'}", "'hello'", false},
        {"{'ends_with':'lo'}", "'hello'", true},
        {"{'ends_with':'el'}", "'hello'", false},
        {"{'ends_with':'lo'}", "['hello']", false},
        {"{'i_starts_with':'HE'}", "'hello'", true},
        {"{'i_starts_with':'LO'}", "'hello'", false},
        {"{'i_ends_with':'LO'}", "'hello'", true},
        {"{'i_ends_with':'HE'}", "'hello'", false},
        {"{'regex':'l+o'}", "'hello'", true},
        {"{'regex':'^l+'}", "'hello'", false},
        {"{'regex':'1'}", "123", false},
        {"{'regex':'('}", "'('", false},
        {"{'regex':'^(a+)+$'}", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'", false},
        {"{'gt':1}", "2", true},
        {"{'gt':2}", "2", false},
        {"{'gt':1}", "'2'", false},
        {"{'gt':1}", NULL, false},
        {"{'gt':'2026-11-23T09:00:00Z'}", "'2026-11-23T10:00:00Z'", true},
        {"{'gt':'b'}", "'a'", false},
        {"{'gte':2}", "2", true},
        {"{'gte':2.5}", "2", false},
        {"{'gte':'a'}", "'a'", true},
        {"{'lt':3}", "2", true},
        {"{'lt':2}", "2", false},
        {"{'lt':3}", NULL, false},
        {"{'lte':2}", "2", true},
        {"{'lte':1}", "2", false},
        {"{'lte':1}", "[1]", false},
        {"{'exists':true}", "0", true},
        {"{'exists':true}", "''", true},
        {"{'exists':true}", "null", false},
        {"{'exists':true}", NULL, false},
        {"{'exists':false}", NULL, true},
        {"{'exists':false}", "'x'", false},
        {"{'has_any':['a','x']}", "['a','b']", true},
        {"{'has_any':['x']}", "['a','b']", false},
        {"{'has_any':['a','x']}", "'abc'", true},
        {"{'has_any':['a']}", NULL, false},
        {"{'has_any':[]}", "['a']", false},
        {"{'has_all':['a','b']}", "['b','c','a']", true},
        {"{'has_all':['a','b']}", "['a']", false},
        {"{'has_all':['a']}", NULL, false},
        {"{'has_all':[]}", "['a']", true},
        {"{'starts_with':'h','ends_with':'o'}", "'hello'", true},
        {"{'starts_with':'h','ends_with':'x'}", "'hello'", false},
    };
    check(cases, sizeof cases / sizeof *cases, "0.1");
}

/* Each operator over texts, numbers, truths, lists, objects, null and nothing. In that language's
 * evaluator true is 1 and false is 0, JSON that is searched is in ASCII, and classes of regular
 * expressions are Unicode's. */
static void predicates_of_version_0_1_over_values_of_each_type(void **state)
{
    (void)state;
    static const struct predicate_case cases[] = {
        {"null", "null", true},
        {"null", "''", false},
        {"1", "true", true},
        {"1", "'1'", false},
        {"true", "1", true},
        {"true", "'true'", false},
        {"''", "null", false},
        {"''", "''", true},
        {"''", NULL, false},
        {"{'eq':null}", "null", true},
        {"{'eq':null}", NULL, true},
        {"{'eq':null}", "0", false},
        {"{'eq':null}", "''", false},
        {"{'eq':null}", "[]", false},
        {"{'eq':true}", "1", true},
        {"{'eq':true}", "true", true},
        {"{'eq':0}", "false", true},
        {"{'eq':0}", "null", false},
        {"{'eq':0}", "''", false},
        {"{'eq':9007199254740993}", "9007199254740992", false},
        {"{'eq':9007199254740993}", "9007199254740993", true},
        {"{'eq':'5'}", "5", false},
        {"{'eq':[]}", "[]", true},
        {"{'eq':[]}", "null", false},
        {"{'eq':[]}", "{}", false},
        {"{'eq':{}}", "{}", true},
        {"{'eq':{}}", "[]", false},
        {"{'eq':[1]}", "[true]", true},
        {"{'eq':[1]}", "[1.0]", true},
        {"{'ne':null}", "null", false},
        {"{'ne':null}", NULL, false},
        {"{'ne':null}", "0", true},
        {"{'ne':1}", "true", false},
        {"{'ne':1}", "1.0", false},
        {"{'ne':1}", "'1'", true},
        {"{'ne':1}", "null", true},
        {"{'ne':1}", "[1]", true},
        {"{'in':[1, 'a', null]}", "null", true},
        {"{'in':[1, 'a', null]}", NULL, true},
        {"{'in':[1, 'a', null]}", "true", true},
        {"{'in':[1, 'a', null]}", "'a'", true},
        {"{'in':[1, 'a', null]}", "[1]", false},
        {"{'in':[[1]]}", "[1]", true},
        {"{'in':[[1]]}", "1", false},
        {"{'in':[]}", "null", false},
        {"{'in':[]}", "''", false},
        {"{'not_in':[1, 'a']}", "true", false},
        {"{'not_in':[1, 'a']}", "1", false},
        {"{'not_in':[1, 'a']}", "'b'", true},
        {"{'not_in':[1, 'a']}", "[]", true},
        {"{'not_in':[null]}", "null", false},
        {"{'not_in':[null]}", NULL, false},
        {"{'not_in':[null]}", "0", true},
        {"{'not_in':[]}", "null", true},
        {"{'contains':''}", "''", true},
        {"{'contains':''}", "'a'", true},
        {"{'contains':''}", "[]", true},
        {"{'contains':''}", NULL, false},
        {"{'contains':''}", "5", false},
        {"{'contains':'é'}", "'é'", true},
        {"{'contains':'é'}", "['é']", false},
        {"{'contains':'é'}", "{'é':1}", false},
        {"{'contains':'\\\\u00e9'}", "['é']", true},
        {"{'contains':'\\\\u00e9'}", "'é'", false},
        {"{'contains':'[]'}", "[]", true},
        {"{'contains':'true'}", "[true]", true},
        {"{'contains':'true'}", "true", false},
        {"{'contains':'\\\"a\\\",\\\"b\\\"'}", "['a','b']", true},
        {"{'contains':'\\\"a\\\",\\\"b\\\"'}", "['b','a']", false},
        {"{'not_contains':'a'}", "[]", true},
        {"{'not_contains':'a'}", "['a']", false},
        {"{'not_contains':'a'}", "{}", true},
        {"{'not_contains':'a'}", "{'a':1}", false},
        {"{'not_contains':'a'}", "null", false},
        {"{'not_contains':'a'}", "true", false},
        {"{'i_contains':'A'}", "['a']", true},
        {"{'i_contains':'A'}", "{'a':1}", true},
        {"{'i_contains':'A'}", "null", false},
        {"{'i_contains':'A'}", "5", false},
        {"{'i_contains':'i̇'}", "'İ'", true},
        {"{'i_contains':'ss'}", "'ß'", false},
        {"{'starts_with':''}", "''", true},
        {"{'starts_with':''}", "'a'", true},
        {"{'starts_with':''}", NULL, false},
        {"{'starts_with':''}", "[]", false},
        {"{'starts_with':'5'}", "5", false},
        {"{'starts_with':'5'}", "'5'", true},
        {"{'ends_with':''}", "''", true},
        {"{'ends_with':''}", "'a'", true},
        {"{'ends_with':''}", NULL, false},
        {"{'ends_with':''}", "[]", false},
        {"{'ends_with':'5'}", "5", false},
        {"{'ends_with':'5'}", "'5'", true},
        {"{'i_starts_with':''}", "''", true},
        {"{'i_starts_with':''}", "'a'", true},
        {"{'i_starts_with':''}", NULL, false},
        {"{'i_starts_with':''}", "[]", false},
        {"{'i_starts_with':'5'}", "5", false},
        {"{'i_starts_with':'5'}", "'5'", true},
        {"{'i_ends_with':''}", "''", true},
        {"{'i_ends_with':''}", "'a'", true},
        {"{'i_ends_with':''}", NULL, false},
        {"{'i_ends_with':''}", "[]", false},
        {"{'i_ends_with':'5'}", "5", false},
        {"{'i_ends_with':'5'}", "'5'", true},
        {"{'regex':''}", "''", true},
        {"{'regex':''}", "'a'", true},
        {"{'regex':''}", NULL, false},
        {"{'regex':'^é$'}", "'é'", true},
        {"{'regex':'\\\\u00e9'}", "'é'", true},
        {"{'regex':'^\\\\w+$'}", "'été'", true},
        {"{'regex':'^\\\\d$'}", "'٣'", true},
        {"{'regex':'(?i)^É'}", "'été'", true},
        {"{'regex':'a.b'}", "'a\\nb'", false},
        {"{'regex':'^b'}", "'a\\nb'", false},
        {"{'regex':'(?P<x>l)(?P=x)'}", "'hello'", true},
        {"{'regex':'a'}", "['a']", false},
        {"{'regex':'a'}", "5", false},
        {"{'regex':'a'}", "true", false},
        {"{'gt':0}", "true", true},
        {"{'gt':0}", "false", false},
        {"{'gt':0}", "0", false},
        {"{'gt':0}", "'0'", false},
        {"{'gt':0}", "null", false},
        {"{'gt':0}", NULL, false},
        {"{'gt':0}", "[]", false},
        {"{'gt':'a'}", "''", false},
        {"{'gt':'a'}", "'a'", false},
        {"{'gt':'a'}", "'b'", true},
        {"{'gt':'a'}", "5", false},
        {"{'gt':9007199254740992}", "9007199254740993", true},
        {"{'gte':0}", "true", true},
        {"{'gte':0}", "false", true},
        {"{'gte':0}", "0", true},
        {"{'gte':0}", "'0'", false},
        {"{'gte':0}", "null", false},
        {"{'gte':0}", NULL, false},
        {"{'gte':0}", "[]", false},
        {"{'gte':'a'}", "''", false},
        {"{'gte':'a'}", "'a'", true},
        {"{'gte':'a'}", "'b'", true},
        {"{'gte':'a'}", "5", false},
        {"{'gte':9007199254740992}", "9007199254740993", true},
        {"{'lt':0}", "true", false},
        {"{'lt':0}", "false", false},
        {"{'lt':0}", "0", false},
        {"{'lt':0}", "'0'", false},
        {"{'lt':0}", "null", false},
        {"{'lt':0}", NULL, false},
        {"{'lt':0}", "[]", false},
        {"{'lt':'a'}", "''", true},
        {"{'lt':'a'}", "'a'", false},
        {"{'lt':'a'}", "'b'", false},
        {"{'lt':'a'}", "5", false},
        {"{'lt':9007199254740992}", "9007199254740993", false},
        {"{'lte':0}", "true", false},
        {"{'lte':0}", "false", true},
        {"{'lte':0}", "0", true},
        {"{'lte':0}", "'0'", false},
        {"{'lte':0}", "null", false},
        {"{'lte':0}", NULL, false},
        {"{'lte':0}", "[]", false},
        {"{'lte':'a'}", "''", true},
        {"{'lte':'a'}", "'a'", true},
        {"{'lte':'a'}", "'b'", false},
        {"{'lte':'a'}", "5", false},
        {"{'lte':9007199254740992}", "9007199254740993", false},
        {"{'exists':true}", "false", true},
        {"{'exists':true}", "[]", true},
        {"{'exists':true}", "{}", true},
        {"{'exists':true}", "5", true},
        {"{'exists':false}", "null", true},
        {"{'exists':false}", NULL, true},
        {"{'exists':false}", "false", false},
        {"{'exists':false}", "[]", false},
        {"{'has_any':['a']}", "[]", false},
        {"{'has_any':['a']}", "{'a':1}", false},
        {"{'has_any':['a']}", "5", false},
        {"{'has_any':['a']}", "'cab'", true},
        {"{'has_any':[null]}", "[null]", true},
        {"{'has_any':[null]}", "[]", false},
        {"{'has_any':[1]}", "[true]", true},
        {"{'has_any':[1]}", "[1.0]", true},
        {"{'has_any':[['a']]}", "[['a']]", true},
        {"{'has_any':[['a']]}", "['a']", false},
        {"{'has_all':[]}", "[]", true},
        {"{'has_all':[]}", NULL, false},
        {"{'has_all':[]}", "null", false},
        {"{'has_all':[]}", "''", true},
        {"{'has_all':[]}", "{}", false},
        {"{'has_all':['a','a']}", "['a']", true},
        {"{'has_all':['a']}", "{'a':1}", false},
        {"{'has_all':['a']}", "'a'", true},
        {"{'has_all':[{'a':1}]}", "[{'a':1}]", true},
        {"{'gte':1, 'lte':3}", "2", true},
        {"{'gte':1, 'lte':3}", "4", false},
        {"{'gte':1, 'lte':3}", "true", true},
    };
    check(cases, sizeof cases / sizeof *cases, "0.1");
}

static void predicates_of_version_1(void **state)
{
    (void)state;
    static const struct predicate_case cases[] = {
        {"{'contains':'ell'}", "'hello'", true},
        {"{'eq':1}", "true", false},
        {"{'eq':1}", "1.0", true},
        {"{'eq':9007199254740993}", "9007199254740992", false},
        {"{'gt':9007199254740992}", "9007199254740993", true},
        {"{'gt':0}", "true", false},
        {"{'contains':'\u00e9'}", "['\u00e9']", true},
        {"{'same_text':'quarterly  Report.'}", "'<p>Quarterly\\nreport</p>'", true},
        {"{'same_text':'report'}", "'reports'", false},
        {"{'mentions':'Q3 budget'}", "'About the Q3   Budget, please'", true},
        {"{'mentions':'art'}", "'A party'", false},
        {"{'mentions':['10:00','room 4']}", "'At 10:00 in Room 4.'", true},
        {"{'mentions':['10:00','room 4']}", "'At 10:00'", false},
        {"{'similar':{'to':'The meeting moves to Friday','at_least':0.8}}",
         "'The meeting moved to Friday!'", true},
        {"{'similar':'The meeting moves to Friday'}", "'Lunch?'", false},
        {"{'same_time':'2026-11-27T16:00:00+01:00'}", "'2026-11-27T15:00:00Z'", true},
        {"{'same_time':{'at':'2026-11-27T16:00','zone':'Europe/Rome'}}",
         "{'dateTime':'2026-11-27T10:00:00-05:00','timeZone':'America/New_York'}", true},
        {"{'same_time':{'at':'2026-11-27T16:00Z','within':'5m'}}", "'2026-11-27T16:04:59Z'", true},
        {"{'same_time':{'at':'2026-11-27T16:00Z','within':'5m'}}", "'2026-11-27T16:05:01Z'", false},
        {"{'same_time':'2026-11-27'}", "{'date':'2026-11-27'}", true},
        {"{'before':'2026-11-27T16:00Z'}", "'2026-11-27T16:30:00+01:00'", true},
        {"{'after':'2026-11-27T16:00Z'}", "'2026-11-27T16:30:00+01:00'", false},
        {"{'some':{'email':'b@x','n':{'gte':2}}}", "[{'email':'a@x','n':5},{'email':'b@x','n':2}]",
         true},
        {"{'some':{'email':'a@x','n':2}}", "[{'email':'a@x','n':5},{'email':'b@x','n':2}]", false},
        {"{'every':{'n':{'gt':1}}}", "[{'n':5},{'n':2}]", true},
        {"{'every':{'n':{'gt':1}}}", "[]", false},
        {"{'none':{'n':5}}", "[{'n':5}]", false},
        {"{'none':{'n':5}}", NULL, true},
        {"{'same_items':['a','b']}", "['b','a']", true},
        {"{'same_items':['a','a']}", "['a','b']", false},
        {"{'length':{'lte':2}}", "['a','b']", true},
        {"{'length':3}", "['a','b']", false},
        {"{'length':3}", "'été'", true},
        {"{'not':{'contains':'x'}}", "'abc'", true},
        {"{'not':'abc'}", "'abc'", false},
        {"{'any_of':['a',{'starts_with':'b'}]}", "'bc'", true},
        {"{'any_of':['a',{'starts_with':'b'}]}", "'c'", false},
    };
    check(cases, sizeof cases / sizeof *cases, "1");
}

/* ---- assertions of version 0.1 ---- */

struct verdict_case {
    const char *assertions, *diff;
    bool passed;
};

#define UPDATE                                                                                     \
    "{'updates':[{'__table__':'c','before':{'id':'C1','topic':'old','n':1},'after':{'id':'C1','"   \
    "topic':'new','n':2}}]}"

static void assertions_of_version_0_1(void **state)
{
    (void)state;
    static const struct verdict_case cases[] = {
        /* at least one without a count, and whatever else there is */
        {"[{'diff_type':'added','entity':'m'}]",
         "{'inserts':[{'__table__':'m'},{'__table__':'m'}]}", true},
        {"[{'diff_type':'added','entity':'m'}]", "{'inserts':[{'__table__':'n'}]}", false},
        {"[{'diff_type':'added','entity':'m','expected_count':1}]",
         "{'inserts':[{'__table__':'m'},{'__table__':'m'}]}", false},
        {"[{'diff_type':'added','entity':'m','expected_count':0}]", "{}", true},
        {"[{'diff_type':'added','entity':'m','expected_count':{'min':1,'max':2}}]",
         "{'inserts':[{'__table__':'m'},{'__table__':'m'}]}", true},
        {"[{'diff_type':'added','entity':'m','expected_count':{'max':1}}]",
         "{'inserts':[{'__table__':'m'},{'__table__':'m'}]}", false},
        {"[{'diff_type':'added','entity':'m','where':{'user.id':'U1'}}]",
         "{'inserts':[{'__table__':'m','user':{'id':'U1'}}]}", true},
        {"[{'diff_type':'added','entity':'m','where':{'l.0':'a'}}]",
         "{'inserts':[{'__table__':'m','l':['a']}]}", false},
        {"[{'diff_type':'removed','entity':'m','where':{'id':'M1'}}]",
         "{'deletes':[{'__table__':'m','id':'M1'}]}", true},
        {"[{'diff_type':'removed','entity':'m','where':{'id':'M1'}}]",
         "{'inserts':[{'__table__':'m','id':'M1'}]}", false},
        {"[{'diff_type':'added','entity':'m'}]",
         "{'inserts':[{'__table__':'m'}],'deletes':[{'__table__':'c'},{'__table__':'d'}]}", true},
        /* strict: other fields must not change */
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'topic':{'to':'new'},'n':{'from'"
         ":1,'to':{'gte':2}}}}]",
         UPDATE, true},
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'topic':{'to':'new'}}}]", UPDATE,
         false},
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'topic':{'to':'new'}},'ignore':["
         "'n']}]",
         UPDATE, true},
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'topic':{'to':'other'}},'ignore'"
         ":['n']}]",
         UPDATE, false},
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'topic':{'from':'other'}},'"
         "ignore':['n']}]",
         UPDATE, false},
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'topic':{},'n':{},'id':{}}}]",
         UPDATE, false},
        {"[{'diff_type':'changed','entity':'c'}]", UPDATE, false},
        {"[{'diff_type':'changed','entity':'c','expected_count':0}]", UPDATE, false},
        {"[{'diff_type':'changed','entity':'c','where':{'topic':'old'},'expected_changes':{'topic':"
         "{},'n':{}}}]",
         UPDATE, true},
        {"[{'diff_type':'changed','entity':'c','where':{'topic':'new'},'expected_changes':{'topic':"
         "{},'n':{}}}]",
         UPDATE, true},
        {"[{'diff_type':'changed','entity':'c','where':{'topic':'none'},'expected_changes':{'topic'"
         ":{},'n':{}}}]",
         UPDATE, false},
        /* a value is what the field becomes; null is nothing, and not anything */
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'topic':'new','n':2}}]", UPDATE,
         true},
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'topic':'old','n':2}}]", UPDATE,
         false},
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'topic':{'from':null},'n':{}}}]",
         UPDATE, false},
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'topic':{'to':null},'n':{}}}]",
         UPDATE, false},
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'x':{'from':null,'to':5}}}]",
         "{'updates':[{'__table__':'c','before':{'id':'C1'},'after':{'id':'C1','x':5}}]}", true},
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'x':{'from':5,'to':null}}}]",
         "{'updates':[{'__table__':'c','before':{'x':5},'after':{'x':null}}]}", true},
        /* between equal values nothing changes, whatever they are written as */
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'x':{}}}]",
         "{'updates':[{'__table__':'c','before':{'x':1,'y':5,'z':null},'after':{'x':2,'y':5.0}}]}",
         true},
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'x':{}}}]",
         "{'updates':[{'__table__':'c','before':{'x':1},'after':{'x':true}}]}", false},
        /* fields are members, with points in their names or without */
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'a.b':{'to':2}}}]",
         "{'updates':[{'__table__':'c','before':{'a.b':1},'after':{'a.b':2}}]}", true},
        {"[{'diff_type':'changed','entity':'c','expected_changes':{'a.b':{'to':2}}}]",
         "{'updates':[{'__table__':'c','before':{'a':{'b':1}},'after':{'a':{'b':2}}}]}", false},
        {"[{'diff_type':'added','entity':'m','where':{'':{'exists':true}}}]",
         "{'inserts':[{'__table__':'m'}]}", false},
        {"[{'diff_type':'unchanged','entity':'c'}]", "{}", true},
        {"[{'diff_type':'unchanged','entity':'c','expected_count':1}]", UPDATE, true},
        {"[{'diff_type':'unchanged','entity':'c'}]", UPDATE, false},
        {"[{'diff_type':'unchanged','entity':'c','where':{'id':'C2'}}]", UPDATE, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct json *v = grade(
            arena_printf(&test_arena, "{'version':'0.1','assertions':%s}", cases[i].assertions),
            cases[i].diff);
        if (true_at(v, "passed") != cases[i].passed)
            fail_msg("%s over %s must %sbe passed", cases[i].assertions, cases[i].diff,
                     cases[i].passed ? "" : "not ");
    }
}

static void loose_suites_and_fields_to_ignore(void **state)
{
    (void)state;
    assert_true(true_at(
        grade("{'version':'0.1','strict':false,'assertions':[{'diff_type':'changed','entity':'c',"
              "'expected_changes':{'topic':{'to':'new'}}}]}",
              UPDATE),
        "passed"));
    assert_true(true_at(grade("{'version':'0.1','ignore_fields':{'global':['n']},'assertions':[{'"
                              "diff_type':'changed',"
                              "'entity':'c','expected_changes':{'topic':{'to':'new'}}}]}",
                              UPDATE),
                        "passed"));
    assert_true(true_at(
        grade("{'ignore_fields':{'c':['n']},'aggregates':[{'fn':'count','op':'eq','value':9}],"
              "'assertions':[{'diff_type':'changed','entity':'c','expected_changes':{'topic':{'to':"
              "'new'}}}]}",
              UPDATE),
        "passed"));
    /* A suite as it is written for that evaluator. */
    const struct json *v = grade("{'name':'x','owner':'y','ignore_fields':{'global':['n']},'tests':"
                                 "[{'id':'t1','name':'T','prompt':'P',"
                                 "'type':'actionEval','seed_template':'s','impersonate_user_id':'"
                                 "U1','metadata':{'min_tool_calls':1},"
                                 "'assertions':[{'diff_type':'changed','entity':'c','expected_"
                                 "changes':{'topic':{'to':{'eq':'new'}}},"
                                 "'description':'d'},{'diff_type':'added','entity':'m'}]}]}",
                                 UPDATE);
    assert_false(true_at(v, "passed"));
    assert_int_equal(number_at(v, "score.passed"), 1);
    assert_int_equal(number_at(v, "score.total"), 2);
    assert_int_equal(number_at(v, "score.percent"), 50);
    assert_int_equal(count_at(v, "failures"), 1);
}

/* ---- version 1 ---- */

#define SUITE(rest) "{'version':'1','assertions':[" rest "}"
#define ONE_ADDED   "{'diff_type':'added','entity':'m','where':{'to':'bob'}}"
#define SENT        "{'inserts':[{'__table__':'m','to':'bob','text':'See e1'}]}"

static void what_nothing_expects_takes_the_reward(void **state)
{
    (void)state;
    const char *suite = SUITE(ONE_ADDED "]");
    const struct json *v = grade(suite, SENT);
    assert_true(true_at(v, "passed"));
    assert_int_equal(number_at(v, "reward"), 1);
    v = grade(
        suite,
        "{'inserts':[{'__table__':'m','to':'bob'}],'deletes':[{'__table__':'m','to':'eve'}]}");
    assert_false(true_at(v, "passed"));
    assert_int_equal(number_at(v, "reward"), 0);
    assert_int_equal(count_at(v, "unexpected"), 1);
    /* twice is once too often */
    v = grade(suite, "{'inserts':[{'__table__':'m','to':'bob'},{'__table__':'m','to':'bob'}]}");
    assert_int_equal(number_at(v, "reward"), 0);
    v = grade(
        SUITE(ONE_ADDED "],'allow':[{'diff_type':'removed','entity':'m'}]"),
        "{'inserts':[{'__table__':'m','to':'bob'}],'deletes':[{'__table__':'m','to':'eve'}]}");
    assert_true(true_at(v, "passed"));
    v = grade(
        SUITE(ONE_ADDED "],'closed':false"),
        "{'inserts':[{'__table__':'m','to':'bob'}],'deletes':[{'__table__':'m','to':'eve'}]}");
    assert_true(true_at(v, "passed"));
    v = grade(
        SUITE(ONE_ADDED "],'collateral':0.5"),
        "{'inserts':[{'__table__':'m','to':'bob'}],'deletes':[{'__table__':'m','to':'eve'}]}");
    assert_string_equal(json_to_text(&test_arena, value_at(v, "reward")), "0.5");
}

static void fields_that_are_allowed_are_all_that_may_change(void **state)
{
    (void)state;
    const char *allow = SUITE(
        "{'diff_type':'added','entity':'x','expected_count':0}],'allow':[{'diff_type':'changed',"
        "'entity':'c','fields':['topic'%s]}]");
    const char *few = arena_printf(&test_arena, "%.*s%s", (int)(strstr(allow, "%s") - allow), allow,
                                   strstr(allow, "%s") + 2);
    assert_int_equal(count_at(grade(few, UPDATE), "unexpected"), 1);
    assert_int_equal(
        count_at(
            grade(
                SUITE(
                    "{'diff_type':'added','entity':'x','expected_count':0}],'allow':[{'entity':'c',"
                    "'fields':['topic','n']}]"),
                UPDATE),
            "unexpected"),
        0);
}

static void guards_earn_nothing_and_cost_when_they_break(void **state)
{
    (void)state;
    const char *suite =
        SUITE(ONE_ADDED ",{'diff_type':'unchanged','entity':'c'},{'diff_type':'added','entity':'n',"
                        "'weight':3}]");
    const struct json *v = grade(suite, "{}");
    assert_int_equal(number_at(v, "reward"), 0);
    assert_string_equal(column(v, "parts", "role"), "goal guard goal");
    v = grade(suite, SENT);
    assert_string_equal(json_to_text(&test_arena, value_at(v, "reward")), "0.25");
    v = grade(suite, "{'inserts':[{'__table__':'n'}]}");
    assert_string_equal(json_to_text(&test_arena, value_at(v, "reward")), "0.75");
    v = grade(SUITE(ONE_ADDED ",{'diff_type':'unchanged','entity':'c'}],'closed':false"),
              "{'inserts':[{'__table__':'m','to':'bob'},{'__table__':'c'}]}");
    assert_int_equal(number_at(v, "reward"), 0);
    v = grade(SUITE(ONE_ADDED ",{'diff_type':'added','entity':'n','required':true}]"), SENT);
    assert_int_equal(number_at(v, "reward"), 0);
}

static void assertions_combine(void **state)
{
    (void)state;
    const char
        *any = SUITE("{'any':[" ONE_ADDED ",{'diff_type':'added','entity':'n'}]}]"),
        *all = SUITE("{'all':[" ONE_ADDED ",{'diff_type':'added','entity':'n'}]}]"),
        *not = SUITE(
            ONE_ADDED
            ",{'not':{'diff_type':'added','entity':'m','where':{'text':{'contains':'secret'}}}}]");
    assert_true(true_at(grade(any, SENT), "passed"));
    assert_true(true_at(grade(any, "{'inserts':[{'__table__':'n'}]}"), "passed"));
    assert_false(true_at(grade(any, "{}"), "passed"));
    assert_false(true_at(grade(all, SENT), "passed"));
    assert_string_equal(json_to_text(&test_arena, value_at(grade(all, SENT), "reward")), "0.5");
    assert_true(true_at(grade(not, SENT), "passed"));
    assert_int_equal(
        number_at(grade(not, "{'inserts':[{'__table__':'m','to':'bob','text':'the secret'}]}"),
                  "reward"),
        0);
}

static void variables_bind_across_entities(void **state)
{
    (void)state;
    /* The mail comes first in the suite, and names the event that is made. */
    const char *suite =
        SUITE("{'diff_type':'added','entity':'m','where':{'text':{'contains':'${event}'}}},"
              "{'diff_type':'added','entity':'e','bind':{'event':'id'}}]");
    assert_true(true_at(
        grade(suite, "{'inserts':[{'__table__':'m','text':'See e1'},{'__table__':'e','id':'e1'}]}"),
        "passed"));
    assert_false(true_at(
        grade(suite, "{'inserts':[{'__table__':'m','text':'See e2'},{'__table__':'e','id':'e1'}]}"),
        "passed"));
    assert_false(
        true_at(grade(suite, "{'inserts':[{'__table__':'m','text':'See ${event}'}]}"), "passed"));
    /* Of several things those are taken with which most holds. */
    suite = SUITE("{'diff_type':'added','entity':'e','bind':{'event':'id'},'expected_count':2},"
                  "{'diff_type':'added','entity':'m','where':{'event':{'var':'event'}}}]");
    assert_true(
        true_at(grade(suite, "{'inserts':[{'__table__':'e','id':'e1'},{'__table__':'e','id':'e2'},"
                             "{'__table__':'m','event':'e2'}]}"),
                "passed"));
    /* What a variable holds is text, whatever is in it. */
    suite = SUITE("{'diff_type':'added','entity':'e','bind':{'t':'title'}},"
                  "{'diff_type':'added','entity':'m','where':{'l':{'has_any':['${t}']}}}]");
    assert_false(true_at(
        grade(suite,
              "{'inserts':[{'__table__':'e','title':'a\\\",\\\"b'},{'__table__':'m','l':['b']}]}"),
        "passed"));
}

static void aggregates_are_over_what_matches(void **state)
{
    (void)state;
    const char *diff = "{'inserts':[{'__table__':'m','n':1,'to':'a'},{'__table__':'m','n':4,'to':'"
                       "b'},{'__table__':'m','n':4,'to':'b'}]}";
    static const struct {
        const char *fn, *is;
        bool passed;
    } cases[] = {
        {"'count'", "3", true},
        {"'sum','field':'n'", "9", true},
        {"'min','field':'n'", "1", true},
        {"'max','field':'n'", "{'gt':4}", false},
        {"'avg','field':'n'", "3", true},
        {"'distinct','field':'to'", "2", true},
        {"'max','field':'none'", "{'exists':false}", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(
            true_at(grade(arena_printf(
                              &test_arena,
                              "{'version':'1','closed':false,'assertions':[{'aggregate':{'fn':%s,"
                              "'of':{'diff_type':'added','entity':'m'}},'is':%s}]}",
                              cases[i].fn, cases[i].is),
                          diff),
                    "passed"),
            cases[i].passed);
}

static void what_becomes_null_is_said_by_null(void **state)
{
    (void)state;
    const char *suite =
        SUITE("{'diff_type':'changed','entity':'c','expected_changes':{'topic':{'to':"
              "null},'n':{}}}]");
    assert_false(true_at(grade(suite, UPDATE), "passed"));
    assert_true(true_at(grade(suite, "{'updates':[{'__table__':'c','before':{'topic':'old','n':1},'"
                                     "after':{'n':2}}]}"),
                        "passed"));
}

static void a_near_miss_says_what_came_closest(void **state)
{
    (void)state;
    const struct json *v = grade(
        SUITE(
            "{'diff_type':'added','entity':'m','where':{'to':'bob','text':{'contains':'noon'}}}]"),
        "{'inserts':[{'__table__':'m','to':'eve','text':'x'},{'__table__':'m','to':'bob','text':'"
        "at one'}]}");
    assert_string_equal(text_at(v, "parts.0.why"), "expected 1, found 0");
    assert_int_equal(count_at(v, "parts.0.near"), 2);
    assert_string_equal(text_at(v, "parts.0.near.0.differs.0.field"), "text");
    assert_string_equal(text_at(v, "parts.0.near.0.differs.0.found"), "at one");
    assert_string_equal(text_at(v, "parts.0.near.0.differs.0.expected.contains"), "noon");
    /* with what was bound, */
    v = grade(
        SUITE("{'diff_type':'added','entity':'e','bind':{'event':'id'}},{'diff_type':'added',"
              "'entity':'m','where':{'event':{'var':'event'},'text':'x'}}]"),
        "{'inserts':[{'__table__':'e','id':'e1'},{'__table__':'m','event':'e1','text':'y'}]}");
    assert_int_equal(count_at(v, "parts.1.near.0.differs"), 1);
    assert_string_equal(text_at(v, "parts.1.near.0.differs.0.field"), "text");
    /* of a change by the side that is meant, */
    v = grade(
        SUITE("{'diff_type':'changed','entity':'c','where':{'topic':'old'},'expected_changes':"
              "{'topic':{'to':'other'}}}]"),
        "{'updates':[{'__table__':'c','before':{'topic':'old'},'after':{'topic':'new'}}]}");
    assert_int_equal(count_at(v, "parts.0.near.0.differs"), 1);
    assert_string_equal(text_at(v, "parts.0.near.0.differs.0.found"), "new");
    /* and of any item by what there is. */
    v = grade(SUITE("{'diff_type':'added','entity':'m','where':{'to.*.email':'bob'}}]"),
              "{'inserts':[{'__table__':'m','to':[{'email':'eve'}]}]}");
    assert_string_equal(text_at(v, "parts.0.near.0.differs.0.found.0.email"), "eve");
}

#define test(f) cmocka_unit_test_setup_teardown(f, verdict_open, verdict_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(predicates_of_version_0_1),
        test(predicates_of_version_0_1_over_values_of_each_type),
        test(predicates_of_version_1),
        test(assertions_of_version_0_1),
        test(loose_suites_and_fields_to_ignore),
        test(what_nothing_expects_takes_the_reward),
        test(fields_that_are_allowed_are_all_that_may_change),
        test(guards_earn_nothing_and_cost_when_they_break),
        test(assertions_combine),
        test(variables_bind_across_entities),
        test(aggregates_are_over_what_matches),
        test(what_becomes_null_is_said_by_null),
        test(a_near_miss_says_what_came_closest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
