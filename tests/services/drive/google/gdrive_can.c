/* SPDX-License-Identifier: Apache-2.0 */
/* The table of roles: what each of them may do with each kind of item. */
#include "tests/support/unit.h"
#include "services/drive/google/sharing/can.h"
#include "engine/base/err.h"

static const struct gdrive_state file = {.nature = NATURE_FILE, .writers_share = true};
static const struct gdrive_state folder = {.nature = NATURE_FOLDER, .writers_share = true};

static bool may(enum drive_role role, struct gdrive_state s, enum gdrive_can what)
{
    struct gdrive_cans c = gdrive_cans(role, &s);
    assert_true(c.known & CAN(what));
    return can(&c, what);
}

static struct gdrive_state shared(struct gdrive_state s)
{
    s.shared_drive = s.member = true;
    return s;
}

/* The lowest role that may do it, from none upwards; all above it may too. */
static enum drive_role lowest(struct gdrive_state s, enum gdrive_can what)
{
    int role = ROLE_NONE;
    while (role < N_ROLES && !may((enum drive_role)role, s, what))
        role++;
    for (int r = role; r < N_ROLES; r++)
        assert_true(may((enum drive_role)r, s, what));
    return (enum drive_role)role;
}

/* GD-366, GD-367: what an owner without an organisation gets. */
static void owners_answers(void **state)
{
    (void)state;
    uint64_t no_file = CAN(CAN_ADD_CHILDREN) | CAN(CAN_LIST_CHILDREN) | CAN(CAN_REMOVE_CHILDREN) |
                       CAN(CAN_MOVE_CHILDREN_WITHIN) | CAN(CAN_ADD_PARENT) |
                       CAN(CAN_CHANGE_SECURITY_UPDATE) | CAN(CAN_ACCEPT_OWNERSHIP) |
                       CAN(CAN_READ_LABELS) | CAN(CAN_MODIFY_LABELS) | CAN(CAN_LIFT_RESTRICTION) |
                       CAN(CAN_LIMIT_ACCESS);
    struct gdrive_cans c = gdrive_cans(ROLE_OWNER, &file);
    assert_int_equal(c.known & ~c.yes, no_file);
    struct gdrive_cans f = gdrive_cans(ROLE_OWNER, &folder);
    for (int i = 0; i < N_CANS; i++) {
        bool flips = i == CAN_COPY || i == CAN_READ_REVISIONS || i == CAN_RESTRICT_CONTENT ||
                     i == CAN_RESTRICT_AS_EDITOR || i == CAN_RESTRICT_AS_OWNER ||
                     i == CAN_CHANGE_COPY_RESTRICTION || i == CAN_CHANGE_VIEWERS_COPY ||
                     i == CAN_ADD_CHILDREN || i == CAN_LIST_CHILDREN || i == CAN_REMOVE_CHILDREN ||
                     i == CAN_MOVE_CHILDREN_WITHIN || i == CAN_LIMIT_ACCESS ||
                     i == CAN_CHANGE_DOWNLOAD_RESTRICTION;
        assert_int_equal(can(&c, (enum gdrive_can)i) != can(&f, (enum gdrive_can)i), flips);
    }
    uint64_t elsewhere = CAN(CAN_READ_DRIVE) | CAN(CAN_DELETE_CHILDREN) | CAN(CAN_TRASH_CHILDREN) |
                         CAN(CAN_MOVE_CHILDREN_OUT) | CAN(CAN_ADD_FOLDER_FROM_ELSEWHERE);
    assert_int_equal(c.known & elsewhere, 0);
    struct gdrive_state s = shared(file);
    assert_int_equal(gdrive_cans(ROLE_ORGANIZER, &s).known & elsewhere, elsewhere);
}

/* GD-380, line by line. */
static void roles_in_my_drive(void **state)
{
    (void)state;
    static const struct {
        bool on_folder;
        enum gdrive_can what;
        enum drive_role from;
    } lines[] = {
        {false, CAN_DOWNLOAD, ROLE_READER},       {true, CAN_LIST_CHILDREN, ROLE_READER},
        {false, CAN_COMMENT, ROLE_COMMENTER},     {false, CAN_EDIT, ROLE_WRITER},
        {false, CAN_READ_REVISIONS, ROLE_WRITER}, {true, CAN_ADD_CHILDREN, ROLE_WRITER},
        {true, CAN_REMOVE_CHILDREN, ROLE_WRITER}, {false, CAN_SHARE, ROLE_WRITER},
        {false, CAN_TRASH, ROLE_OWNER},           {false, CAN_DELETE, ROLE_OWNER},
        {true, CAN_LIMIT_ACCESS, ROLE_OWNER},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_int_equal(lowest(lines[i].on_folder ? folder : file, lines[i].what), lines[i].from);
}

static void roles_in_shared_drives(void **state)
{
    (void)state;
    static const struct {
        bool on_folder;
        enum gdrive_can what;
        enum drive_role from;
    } lines[] = {
        {false, CAN_READ_DRIVE, ROLE_READER},          {false, CAN_COMMENT, ROLE_COMMENTER},
        {false, CAN_MODIFY_CONTENT, ROLE_WRITER},      {false, CAN_SHARE, ROLE_WRITER},
        {true, CAN_SHARE, ROLE_FILE_ORGANIZER},        {false, CAN_TRASH, ROLE_FILE_ORGANIZER},
        {false, CAN_MOVE_WITHIN, ROLE_FILE_ORGANIZER}, {false, CAN_MOVE_OUT, ROLE_ORGANIZER},
        {false, CAN_DELETE, ROLE_ORGANIZER},           {true, CAN_DELETE_CHILDREN, ROLE_ORGANIZER},
        {true, CAN_REMOVE_CHILDREN, N_ROLES},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_int_equal(lowest(shared(lines[i].on_folder ? folder : file), lines[i].what),
                         lines[i].from);
    struct gdrive_state s = shared(folder);
    s.folders_by_organizer = true; /* GD-381 */
    assert_int_equal(lowest(s, CAN_SHARE), ROLE_ORGANIZER);
    s = shared(file);
    s.member = false;
    assert_int_equal(lowest(s, CAN_READ_DRIVE), N_ROLES);
}

static void what_takes_rights_away(void **state)
{
    (void)state;
    struct gdrive_state s = file;
    s.writers_share = false; /* GD-60 */
    assert_int_equal(lowest(s, CAN_SHARE), ROLE_FILE_ORGANIZER);
    s = file;
    s.expires = true; /* GD-381 */
    assert_false(may(ROLE_WRITER, s, CAN_SHARE));
    assert_true(may(ROLE_OWNER, s, CAN_SHARE));
    s = file;
    s.copy_needs_writer = true;
    assert_int_equal(lowest(s, CAN_COPY), ROLE_WRITER);
    assert_int_equal(lowest(s, CAN_DOWNLOAD), ROLE_WRITER);
    s = file;
    s.writers_no_download = true;
    assert_int_equal(lowest(s, CAN_DOWNLOAD), ROLE_FILE_ORGANIZER);
    s = file;
    s.locked = true; /* GD-440 */
    assert_int_equal(lowest(s, CAN_MODIFY_CONTENT), N_ROLES);
    assert_int_equal(lowest(s, CAN_COMMENT), N_ROLES);
    assert_int_equal(lowest(s, CAN_RENAME), N_ROLES);
    assert_int_equal(lowest(s, CAN_LIFT_RESTRICTION), ROLE_WRITER);
    s.owner_locked = true;
    assert_int_equal(lowest(s, CAN_LIFT_RESTRICTION), ROLE_FILE_ORGANIZER);
}

static void what_gives_rights(void **state)
{
    (void)state;
    struct gdrive_state s = file;
    s.organisation = s.pending_owner = true;
    assert_int_equal(lowest(s, CAN_READ_LABELS), ROLE_READER);
    assert_int_equal(lowest(s, CAN_MODIFY_LABELS), ROLE_WRITER);
    assert_true(may(ROLE_WRITER, s, CAN_ACCEPT_OWNERSHIP));
    s = folder;
    s.limited = true; /* GD-383: it can be opened again and not be closed twice */
    assert_int_equal(lowest(s, CAN_UNLIMIT_ACCESS), ROLE_OWNER);
    assert_false(may(ROLE_OWNER, s, CAN_LIMIT_ACCESS));
    assert_int_equal(lowest(file, CAN_UNLIMIT_ACCESS), ROLE_WRITER); /* GD-542 */
    assert_int_equal(gdrive_cans(ROLE_SEES, &s).yes, 0);
}

/* GD-540, GD-541, GD-543 */
static void what_writers_may_not_do(void **state)
{
    (void)state;
    static const enum gdrive_can owners[] = {CAN_MOVE_INTO_SHARED, CAN_MOVE_OUT};
    static const enum gdrive_can of_files[] = {CAN_CHANGE_COPY_RESTRICTION,
                                               CAN_CHANGE_VIEWERS_COPY};
    struct gdrive_state s = shared(file);
    for (size_t i = 0; i < SOSIA_LEN(owners); i++) {
        assert_int_equal(lowest(file, owners[i]), ROLE_OWNER);
        assert_int_equal(lowest(folder, owners[i]), ROLE_OWNER);
    }
    for (size_t i = 0; i < SOSIA_LEN(of_files); i++) {
        assert_int_equal(lowest(file, of_files[i]), ROLE_OWNER);
        assert_int_equal(lowest(s, of_files[i]), ROLE_ORGANIZER);
    }
    assert_int_equal(lowest(file, CAN_REMOVE_PARENT), ROLE_READER);
    assert_int_equal(lowest(folder, CAN_REMOVE_PARENT), ROLE_READER);
}

static void roots(void **state)
{
    (void)state;
    struct gdrive_state root = {.nature = NATURE_ROOT, .writers_share = true};
    static const enum gdrive_can never[] = {CAN_TRASH, CAN_DELETE,   CAN_MOVE_WITHIN,
                                            CAN_COPY,  CAN_MOVE_OUT, CAN_SHARE};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        assert_int_equal(lowest(root, never[i]), N_ROLES);
    assert_int_equal(lowest(root, CAN_ADD_CHILDREN), ROLE_WRITER);
    struct gdrive_state top = shared((struct gdrive_state){.nature = NATURE_TOP});
    assert_int_equal(lowest(top, CAN_SHARE), ROLE_ORGANIZER); /* its grants are the members */
    assert_int_equal(lowest(top, CAN_TRASH), N_ROLES);
}

static void drives_themselves(void **state)
{
    (void)state;
    assert_int_equal(shared_cans(ROLE_NONE, false), 0);
    assert_int_equal(shared_cans(ROLE_ORGANIZER, false), (1u << N_SHARED_CANS) - 1);
    assert_false(shared_cans(ROLE_FILE_ORGANIZER, false) & (1u << SHARED_MANAGE_MEMBERS));
    assert_true(shared_cans(ROLE_FILE_ORGANIZER, false) & (1u << SHARED_TRASH_CHILDREN));
    assert_true(shared_cans(ROLE_READER, false) & (1u << SHARED_DOWNLOAD));
    assert_false(shared_cans(ROLE_READER, true) & (1u << SHARED_DOWNLOAD));
    assert_true(shared_cans(ROLE_WRITER, true) & (1u << SHARED_DOWNLOAD));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_answers),          cmocka_unit_test(roles_in_my_drive),
        cmocka_unit_test(roles_in_shared_drives),  cmocka_unit_test(what_takes_rights_away),
        cmocka_unit_test(what_gives_rights),       cmocka_unit_test(roots),
        cmocka_unit_test(what_writers_may_not_do), cmocka_unit_test(drives_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
