/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_CLI_RESIDENT_H
#define SOSIA_CLI_RESIDENT_H

/* Lets go of the pages of the program's and its libraries' files that the process has mapped so
 * far: code and constants that only the start wanted. They stay in the system's cache of files,
 * from where the process gets those back that it touches again. A mapping in which anything was
 * written stays whole. Does nothing where it can't be done. */
void resident_let_go(void);

#endif
