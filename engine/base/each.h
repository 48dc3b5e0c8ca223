/* SPDX-License-Identifier: Apache-2.0 */
/* A macro for each argument of another one, separated by commas: EACH(M, a, b) is M(a), M(b). At
 * most 48; COUNT() says how many there are. */
#ifndef SOSIA_BASE_EACH_H
#define SOSIA_BASE_EACH_H

#define COUNT_AT(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,  \
                 a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34,   \
                 a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, n, ...)     \
    n
#define COUNT(...)                                                                                 \
    COUNT_AT(__VA_ARGS__, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31,  \
             30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10,   \
             9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define EACH_JOIN(a, b)    a##b
#define EACH_NAME(n)       EACH_JOIN(EACH_, n)
#define EACH(m, ...)       EACH_NAME(COUNT(__VA_ARGS__))(m, __VA_ARGS__)
#define EACH_1(m, a)       m(a)
#define EACH_2(m, a, ...)  m(a), EACH_1(m, __VA_ARGS__)
#define EACH_3(m, a, ...)  m(a), EACH_2(m, __VA_ARGS__)
#define EACH_4(m, a, ...)  m(a), EACH_3(m, __VA_ARGS__)
#define EACH_5(m, a, ...)  m(a), EACH_4(m, __VA_ARGS__)
#define EACH_6(m, a, ...)  m(a), EACH_5(m, __VA_ARGS__)
#define EACH_7(m, a, ...)  m(a), EACH_6(m, __VA_ARGS__)
#define EACH_8(m, a, ...)  m(a), EACH_7(m, __VA_ARGS__)
#define EACH_9(m, a, ...)  m(a), EACH_8(m, __VA_ARGS__)
#define EACH_10(m, a, ...) m(a), EACH_9(m, __VA_ARGS__)
#define EACH_11(m, a, ...) m(a), EACH_10(m, __VA_ARGS__)
#define EACH_12(m, a, ...) m(a), EACH_11(m, __VA_ARGS__)
#define EACH_13(m, a, ...) m(a), EACH_12(m, __VA_ARGS__)
#define EACH_14(m, a, ...) m(a), EACH_13(m, __VA_ARGS__)
#define EACH_15(m, a, ...) m(a), EACH_14(m, __VA_ARGS__)
#define EACH_16(m, a, ...) m(a), EACH_15(m, __VA_ARGS__)
#define EACH_17(m, a, ...) m(a), EACH_16(m, __VA_ARGS__)
#define EACH_18(m, a, ...) m(a), EACH_17(m, __VA_ARGS__)
#define EACH_19(m, a, ...) m(a), EACH_18(m, __VA_ARGS__)
#define EACH_20(m, a, ...) m(a), EACH_19(m, __VA_ARGS__)
#define EACH_21(m, a, ...) m(a), EACH_20(m, __VA_ARGS__)
#define EACH_22(m, a, ...) m(a), EACH_21(m, __VA_ARGS__)
#define EACH_23(m, a, ...) m(a), EACH_22(m, __VA_ARGS__)
#define EACH_24(m, a, ...) m(a), EACH_23(m, __VA_ARGS__)
#define EACH_25(m, a, ...) m(a), EACH_24(m, __VA_ARGS__)
#define EACH_26(m, a, ...) m(a), EACH_25(m, __VA_ARGS__)
#define EACH_27(m, a, ...) m(a), EACH_26(m, __VA_ARGS__)
#define EACH_28(m, a, ...) m(a), EACH_27(m, __VA_ARGS__)
#define EACH_29(m, a, ...) m(a), EACH_28(m, __VA_ARGS__)
#define EACH_30(m, a, ...) m(a), EACH_29(m, __VA_ARGS__)
#define EACH_31(m, a, ...) m(a), EACH_30(m, __VA_ARGS__)
#define EACH_32(m, a, ...) m(a), EACH_31(m, __VA_ARGS__)
#define EACH_33(m, a, ...) m(a), EACH_32(m, __VA_ARGS__)
#define EACH_34(m, a, ...) m(a), EACH_33(m, __VA_ARGS__)
#define EACH_35(m, a, ...) m(a), EACH_34(m, __VA_ARGS__)
#define EACH_36(m, a, ...) m(a), EACH_35(m, __VA_ARGS__)
#define EACH_37(m, a, ...) m(a), EACH_36(m, __VA_ARGS__)
#define EACH_38(m, a, ...) m(a), EACH_37(m, __VA_ARGS__)
#define EACH_39(m, a, ...) m(a), EACH_38(m, __VA_ARGS__)
#define EACH_40(m, a, ...) m(a), EACH_39(m, __VA_ARGS__)
#define EACH_41(m, a, ...) m(a), EACH_40(m, __VA_ARGS__)
#define EACH_42(m, a, ...) m(a), EACH_41(m, __VA_ARGS__)
#define EACH_43(m, a, ...) m(a), EACH_42(m, __VA_ARGS__)
#define EACH_44(m, a, ...) m(a), EACH_43(m, __VA_ARGS__)
#define EACH_45(m, a, ...) m(a), EACH_44(m, __VA_ARGS__)
#define EACH_46(m, a, ...) m(a), EACH_45(m, __VA_ARGS__)
#define EACH_47(m, a, ...) m(a), EACH_46(m, __VA_ARGS__)
#define EACH_48(m, a, ...) m(a), EACH_47(m, __VA_ARGS__)

#endif
