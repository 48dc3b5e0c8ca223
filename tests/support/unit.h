/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka wants these headers before its own. */
#ifndef SOSIA_TESTS_UNIT_H
#define SOSIA_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#endif
