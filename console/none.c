/* SPDX-License-Identifier: Apache-2.0 */
/* In the place of the live page's files, in a build without them. */
#include "console/files.h"

const struct console_file console_files[1];
const size_t console_n_files = 0;
