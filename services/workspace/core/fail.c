/* SPDX-License-Identifier: Apache-2.0 */
#include "services/workspace/core/workspace.h"

int workspace_fail(struct tx *tx, const char *reason, const char *path)
{
    static const struct {
        const char *reason, *text;
        enum sosia_code code;
    } all[] = {{"ENOENT", "no such file or directory", SOSIA_E_NOT_FOUND},
               {"ENOTDIR", "not a directory", SOSIA_E_INVALID},
               {"EISDIR", "illegal operation on a directory", SOSIA_E_INVALID},
               {"EEXIST", "file already exists", SOSIA_E_CONFLICT},
               {"ENOTEMPTY", "directory not empty", SOSIA_E_CONFLICT},
               {"ELOOP", "too many symbolic links encountered", SOSIA_E_INVALID},
               {"ENAMETOOLONG", "name too long", SOSIA_E_INVALID},
               {"EINVAL", "invalid argument", SOSIA_E_INVALID},
               {"EACCES", "a link leads out of the workspace", SOSIA_E_FORBIDDEN},
               {"EFBIG", "file too large", SOSIA_E_TOO_LARGE},
               {"ENOSPC", "no space left on device", SOSIA_E_TOO_LARGE}};
    size_t i = 0;
    while (i + 1 < SOSIA_LEN(all) && strcmp(all[i].reason, reason) != 0)
        i++;
    return tx_fail(tx, all[i].code, all[i].reason, NULL, "%s: %s, '%.200s'", all[i].reason,
                   all[i].text, path);
}
