/* SPDX-License-Identifier: Apache-2.0 */
/* The date of HTTP (RFC 9110, section 5.6.7): "Thu, 12 Mar 2026 07:43:15 GMT". */
#ifndef SOSIA_TEXT_HTTP_DATE_H
#define SOSIA_TEXT_HTTP_DATE_H

#include <stdint.h>

#define HTTP_DATE 30 /* its size, with NUL */
/* us: microseconds since 1970. */
void http_date(char ret_text[HTTP_DATE], int64_t us);

#endif
