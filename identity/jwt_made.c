/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys that are made in advance: those of labels that the APIs sign with in nearly every process,
 * so that none waits for them. Each is what making it gives.
 */
#include "identity/jwt_made.h"
#include <stddef.h>

const struct jwt_made jwt_made[] = {
    {{0x82, 0xba, 0x2d, 0x99, 0x37, 0x17, 0xa3, 0x27, 0xa7, 0xc3, 0xf4,
      0x26, 0x86, 0x83, 0xaf, 0xd6, 0x39, 0x4c, 0x1b, 0xd4, 0xde, 0xc3,
      0xcc, 0xdf, 0x15, 0x60, 0x0e, 0x68, 0x8e, 0xa3, 0x2c, 0x24},
     "MIIEowIBAAKCAQEAgqD4ztWcKmljzmBgAjVEwkLQLe5yqRaAoZDcybJe6WjT1KHRID6PpwmU+cyg0Ruhzr378SKkWRGW"
     "f6liJF2hULcJD/zmpgM3eAtb98gKLRIRSuZQ05/7h0Tx8SfD/pIQYOEjQeV1KKgsojHT+bjl0Xv8LNADBGx1BJ41quTu"
     "A7FdF3ixyR6t2ptinGQuM5V8xya3CfS7Bmts1jTCYocKQ4/HL2+P9ZIteX1EZehmK5/Vl+x+63X6yj/ytd4dJ96816jy"
     "jLYiU+rCAbFVQktqRjPwDv8r/bp1/en0IryPhtbQeJOJzD2RQRmyI6cPioEpkAEqqUD3A2AQE2jU1sk1kQIDAQABAoIB"
     "AAH/sjDxhzFFsbCVLFDqVWAS10ZFpljgopUeTyeRsHa6OzgPJhDcDjUKTi6Ul08d0O/1u6C+5MSFYq/3RLx9V4ghddy6"
     "FCItDUyroVOROrkh9DRpAep8EaRqLVjRIMRQ4jnmRgSmjQBzUtQERsvk3LTj9JnPsMUg/vkkLdpspHj3WKZwWdYmQWHI"
     "aJUSWnIQd0SdeD2AkF08nOoq5AcPzeLWSZ4rVZOFz8JQ9qPlPrNY6b91Fa6ESg0JtTyOMrXzbCNfnJXeBK2zU4w7up/L"
     "YgX0FRWwg0V1/P8dTlhRNTr7c41RwiHvLao0WeMWv23tDBWOkewaiHNrbTjUqDS8ZYECgYEAt4hxbv9rqgJ/DB8hYOnd"
     "qyNjYXnk3G3zfw4qKPkVHY48Ns4yLRQ3No96F6iF/1HVYDELKfDTfb12aVPtBUirYcBPhMjwOJ/a/3ygIVYlkmRQrDds"
     "Up8lLXKGQYbStDy+YuFiK+EW3EV6lq07oxH60JW09HWdIw6R6G4pNdqkwhECgYEAtjT2Hly79TQdEwUmt2smkwbtYYlI"
     "fxdZdrdq/4luG9XpCwm0y6mGawz+OUzyLkhAR2Nx2ZJ4mt3H+5YBC1M1T8BYl/ivjE9eFYDM4y77Zr0NZItlGYw2XHpm"
     "VzPbSxovAwVhJhcbpAVFMVYfulntyDTMNYTpK8T4n4fLWL7xu4ECgYAw0IqTIj5ploZiG/mNxEYgGaZ6K6iSdHAaMBNI"
     "mI9kMAuV7BvuX30b9udbWYhiU0q0bfbxLcuimvzeoOLez+g9dJ/xylwSQ3pFD8mrdDVEDYhjdc5K32dNAjPxQ8HRDIL6"
     "28V3tEOXTKeBYgwFoGeciOT7TDkCNQLb1kkBuOivcQKBgDUZbBxfFBuaa1qupqDPZjd0zlsdYfY/vL+/JjyANYmBJmAk"
     "HP85UUYDTFcwmGdqgOkNDxHEAMfJGE22YmmFf0TVnjvzql0uiBGmLo+KkpNXRv7lLLpsRS9gMFD7eM4DPG4Z9DzggRqk"
     "uoxtN+Pb71LoKBb0u+sYhQggz972DoaBAoGBAI2pU6F90YLNRa4NKonZO/P3M/2G3RM3EogsIeF/P0Ggbf+bWjBKgmsJ"
     "6n/Vvs6nmoK9q21nwmbxJSU6RvCYFIa8+ti3uuHj6RTcHlE26Y5ar84Wp1nmLvapN7iKoSUa1TpSq4nCZlxlcsqBHjxn"
     "WEIh6rEVH+EmixCbt8FEOhyF"},
    {{0x11, 0xab, 0xef, 0x7f, 0x6d, 0x4b, 0x91, 0xe8, 0x6b, 0x96, 0xf4,
      0x40, 0x1b, 0x21, 0xc5, 0x08, 0x6e, 0x3a, 0x2e, 0x1e, 0x13, 0xf3,
      0x1b, 0xe2, 0x0a, 0x96, 0xfe, 0xe1, 0x8b, 0xcc, 0x85, 0x1d},
     "MIIEpAIBAAKCAQEA51JA8wz0faVrigMC4zvnutzIKGvWJS6ytQhdLKeRorUIuCpS+eOMFmrOteiIRhGn7SL3oEA6d42j"
     "EusCmF/HtbkCZ/aQh4knC6X0IFf939YPlfUAJzDEHtVQ5EhGDspXyr4TFaYMvI2QkbQ57QEoIaxqnFDJaPjmdd7b/fuP"
     "fq6owIJFeWbgGAk0pXwmYbY6RR/EISrOSTFJRuIxH1SjsrWPaBYT77Vas5nmBAW8zbJGBB/nyzABonMq1JFTPBsGsjk4"
     "spN3q3TjyIxAyQaL5vgwMwGb2sqaqoAGPZqbXfQGq9aI9TuczwL/Q2qgCNvSvGe27cS/lvu7Ttxcg4flYQIDAQABAoIB"
     "AAMKZLJDlBSK7I1mNm8N6uEDRToRl5r3A9NxDlp6wsvbxQc4sgA4/CH3GiVjFSSvCqEWS23gXw348mRA0XcQlHBm0Jy7"
     "U+rrXY3fyuqNUlfs7Iw5A3bAaeXwdPoyZs6Lqdio8KX68zvPDfZGvNeVvMH09HsxoHTtB27hGxngT3wa7lTARsFDTDUE"
     "JF6CMhtkCnbmW3SBrUQ5ra9Yr6DbtTAGFpO3NbCqY8fSxEUuVusUU54eSYfnclMc4H2jLKWIH2lR6rLDfpqGSdbM5Cw5"
     "DqYxoKEIWV/f4TB6wOxu9mjI3fMF4s3hzcLiY1knpj+mjVMaysWJXPOVVu6jIiIdyS0CgYEA7o50Knjf42ozz2jW03Bm"
     "UAzgjv/a5qSN8gbhTPokxbbbQ4KMBYhe3m8t79Szm6U6GQC6TJL+5VLFCSK6xTTMf/qUZYQUh0qy+tkaXCt7KH2RTqAC"
     "skWhKmSNOoxjZUeQi/v+JcgFuC8Htr9i0n4th9dqKMgqBXGJ5to3KPqMm/UCgYEA+DxdY7k8EE2fuvTUVQqtMjKnUh2D"
     "gI2UMmDVu/gYVQ1CaTJgnR0YVS9h9rShQIx/352wF9Ot/TlgeqoEl3oRwZ6KB4E7Jgqyy2ob6fXXNJ8X2x9fQQEI2XCv"
     "HQ/qAf5p6vZDzrfiVHRuVs/XEL9ax4Mchxw34D61AFcWOaCSTD0CgYEA322ypVjisLd2YQsbMZtzaAQ3ihdeKWjzvTvu"
     "Zk9eg4NY52jsxf3MhN5yks6PjfZ5bJN+6Vs/uv8DpiPN9AgYhMDnnhDPvUscSM9v3eWniuvYXWCGRfvrD65vi+eS7HfT"
     "jRhuF2q42KHLwsCLyQP+lt0OA7Y9jS2i8AFvakUHzsUCgYEAid2MyIviDfPumHjNTIXndw+m2fZGSKlY+znIuuKpMONy"
     "VNaDzf6Quw7by5a6UA04H8uGN1V7Nj4dlULD1hUXs38Hje96GECs2EiQRDojUbhiGXKtBn86mPj6aJukDYNs8+/d7Ps3"
     "mkwn09MO0OBV3KS2vVswtTxeblfvogXJ+skCgYBEOIweqM1+ffuIS59c+isKzPg1lt7DVA7jwe961NxwwA2AYaWCjfPZ"
     "il/hJQi7nStxcVlivqgfMZGBB5BJEwaiepmHKiCD1I/GlAb+fBc5TlpnOCIRNFuMJl+qvChajf2zjcyOYpLOElQhlGJl"
     "fFjPqhlBZeJay70pdnIxc2aGUA=="},
    {{0x13, 0x52, 0xfc, 0x57, 0xcb, 0x5d, 0x32, 0x7d, 0x23, 0x48, 0xb4,
      0xe1, 0xdd, 0xa7, 0xf9, 0xe4, 0x01, 0x7c, 0x94, 0x38, 0x81, 0x28,
      0x14, 0x09, 0x05, 0x5f, 0xe5, 0x82, 0x63, 0x04, 0x34, 0xd8},
     "MIIEowIBAAKCAQEAl3jikjYNBjUndJRRTXnnJBVa63fWWYph1e7qtElWsfEBHScEV4Z5lWoYdijiQ9oPGfIhpQOslizh"
     "enMbr3SC427cJE3Ga9le8UySgvsnHDhvaBLyudpb6aB746uEPDSeQ4fz16CIZKL1WTmfAaQvelXqherRkC8/F5mSaotc"
     "AgqO+Gk4PEOARFOSdH2MI4jV3jNKDpMkXylk4mD/Ghe0C21b42o0Q2+LoMas1yjArk8JTcfMBjcm3UlMNRv5yN92qi8y"
     "lfPdfcVijoONqd+0D7L0pIztPAth7+Ge9ZgcOO/e1lnhvld/LbJufbwf0KpUmnirhfNM36E5g6pRomdJIQIDAQABAoIB"
     "ADmyrnuLY0KuFK1vodilSsqP5+Yx69CHyeS38WdjWEbHyujT5+9/JekoVNENmcLG2WHEvdQhpig+SFVga3dWJlWD8Q9T"
     "IPYMAwJfbJ/AE5HIXYeDUDpDVyeTHh4HQ4O7d12598R3Pf03pcWrEUqKxBsRhxgj7lfB54KR2RgEpbOQw/kqibksPo8D"
     "K1wkAnyPPXIfMVuQ85hMhm91RU6EwmJfqZtpF/B/AevXf7eaHffxaI9h3QqoaZQ5qW7J0+Mhc13tV589gSkakubUQKzb"
     "G0mB5QMb1m4iKcGzgUP3St+O6yyqmZZXsZAdePgvUZETLqubvlWo+iaJBT8/CrAjOxECgYEAym8vNmwFjsqYohw0mWJb"
     "9xKWBEM9pEhcjOUGx70oGWqD868XJR9d5sWs7zTUBrtFzkmG1rp0WOxy3VosH/VyYQzR1e/h9ShmVekGp0EESPLkHDPa"
     "G1gkA6EmMSVskqelTo6jTSdXPPW4Jm/FNDz/9/IgQShD8C7Y7eGSmlxHjI8CgYEAv42MggBBT0CyLW3okUmWRMu7GU0i"
     "ujNEI+AG25CESfP0UX1FCYvGouYUP6x8ISxYmOax9hxo+GOTZBAF7sbcTXKylWnCp5QiGFKOVpXbdTzp7uiMKgUfhk1y"
     "lvXxYl13PxEOv5FzRvAUxMbLIonQLyOKudi1T9DJKLkkc/hVB08CgYA/D+PlUEFq+jISTjcUkU+U6HVTXp8VTnWGbtJt"
     "5r9XK5dvklvjdKIMAgidfBeRAUX9vWoD+pHEIeSmkDCuxAedtCCqRNBfTvaSTMWF1PtAvmnRX1XSruKJPupm5QGtrgwR"
     "LN4yas8Cbomvb6I/Y8FZvFPP+Hsxl2Z8tIi3DYg8gQKBgQCKJOtQVh7DqUTWvo0bOpbExqkIdji1UIOz270WXAML0oRA"
     "wLcpS0TV9lhkE2DyC6lZnAZ8F8EcYbPKVkPxEDmRIUbpunxHnu133RIKH8lFo8iSI+Px6f/yO6iIdpa++ekl8odQYPVi"
     "E4Lm5vdY0UrytA84OLGJ/mkUlXFUsaOgwQKBgCH7zgIOedAPoAAopsT/jwn3O1P0K1aSSXA4mhnXboLjh3y35zHlVk/J"
     "0Xh76eG7fsNyfZL0Xg6dMrpKQ1HXicA13H6BzdWCQvtiLn4kIP74tydIYMZoEl1JMNYSMmjeWDxWVIi5YXZEVyoX62oI"
     "Zt8pkvDIwIRNzyamybKcJSaN"},
    {{0x14, 0x09, 0xfe, 0x24, 0x9e, 0x73, 0xb9, 0x91, 0x06, 0x8c, 0x7d,
      0x6e, 0xfe, 0x87, 0xc6, 0xbd, 0x97, 0x4a, 0x2a, 0x3b, 0x6d, 0x20,
      0x83, 0x50, 0xa3, 0x84, 0xe5, 0x88, 0x4c, 0x9a, 0x8c, 0x70},
     "MIIEpQIBAAKCAQEAsxQx52zHnVazsdNRd38rnTjgEu+oRaOadgfNy82znh/pBQkSH2AbM/aXR6JieD9LBxYc32LqaB0r"
     "u8UkykTXyNTAXjdu3bD39e/pJVJ5N1ps0D7DDrcLQFTkBQb/Lxr798aN/Ea6NgrZyGVYpLO/VQBcurN1vDAzdw/VKdIW"
     "ewSW+KlHchOYttosMZX3bFMEdv+EyH/axHodtFfED6Y8HZP9ycemkCXmRiqD+0+dZW0RJAfz8R/l5MCf10VUkH+oo8vd"
     "TENMUgWjuoVdnTGJyXSF60ROkJo8O4GRdYh+5hFKmHFQrobawxG0/udY7wlnGFxSztcwUW1vx7Od/E+IPQIDAQABAoIB"
     "AAMtDDa6aNt8zA9CNaz397bzaS0jMsNL0Jn5fA6T9XSlxG6yVGMNEJgLCAmdTIzGzP0kfCeaeMv9Tg2OKtLEuZgv7PRF"
     "NgI/HyHgx6xBrbFFhi3qGj1N3sIdBbXXHW1HviJzUyJSjzJIXmHQ9lHMqrIgIWtIP07MNgvaOO59PnVsPeSdRgr9cmOr"
     "28xleALK82/yR9uK/hHXdmOvJWsAPVa0DJj7XsfYR2K82Pg97VQ3kdW1I4DUFUzQJUVEa0+FUU5J4Cm+zjyIP2xWh/Ly"
     "F70uRhUZA/EM4AiZcj27Eg/gjXL8pjIH8dzr03F1osE8D5H55c740snl46hyoVWk+HECgYEA6UZR8gZt11tGgTDvro3p"
     "dJiO4bNn45EquBL883vd8jpeW+7bqZjWEyDETWkPJcDlywMR0oHGlaim0PX1OfEkMh0StIFdeoo4eHyTYPCsm6nDPa24"
     "ik3qFRrC1rco7vLt39ZrbNchSzIxE6STH2hOPGssIMSBUCNqtuC9bOcXV5UCgYEAxIZGoDn17pJX2pvvYo8Kpfuemlrs"
     "v8yfAvf+koWKlkipIfgtsqY+4W/WYukZKJswoxSccPQZK2MkQHCRU2UYGpG9cWIhW5s/bIcwf2Yu7L32peBQOT6Q0Hxr"
     "M1v2MeQobtiOJHIo3EP3stgZGwzAaFx4/hE+j0ELm7BA4iZapAkCgYEAtumIv7oCzuanNg3lIn3sHJyzDI7cWzgswwFA"
     "jrsFoTXbX0K/wxAwa/c5dWl3kybaCIFzrBhOWnNPunHhw3kt5I2faSI25isTdIZaGZ0d+0D18psRJIFLlxjQxgQAeLzL"
     "gMRkn4dgd9H3YWueYPYswntWsqriqq/asWMvpQDe8LECgYEAqdSMFgzgncGz0EQvVBHfFt9iCWwH6hvvUkZzpbVntUWn"
     "e6aX/ymxb2oRb7qWtkOefV/jba1UTu1HN7TPsazMbrGBcAloYFzCK4yMeZwZcxcanfBCA6YwySqsDV8sW6Ma2eektpQ9"
     "AVRvKwuabojPgaBgItdOI8gHOwzOlWCltdkCgYEAsubsVZ4CRF8G276OMu28H+XBiIHgYk2JdsvCDy7yxpHwtsjD13Bf"
     "znH4b6vWPP9t+xeKmuySAGjAheX5cf2yFpyTjI1b43dOjevGV48OKBJNl3JxyMP74nqHelWcygn/Ce6dvjit8mDolOkg"
     "C4AWAkZ+IXudi4Aij/HaD6TEgxI="},
    {.key = NULL},
};
