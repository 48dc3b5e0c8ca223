/* SPDX-License-Identifier: Apache-2.0 */
/* The languages that a mailbox may have, each by its own name. */
#include "services/mail/outlook/settings/languages.h"
#include "engine/http/call.h"
#include <stdlib.h>
#include <strings.h>

/* Without regard to case, in order. */
const struct outlook_language outlook_languages[] = {
    {"af-ZA", "Afrikaans (Suid-Afrika)"},
    {"am-ET", "አማርኛ (ኢትዮጵያ)"},
    {"ar-AE", "العربية (الإمارات العربية المتحدة)"},
    {"ar-EG", "العربية (مصر)"},
    {"ar-SA", "العربية (المملكة العربية السعودية)"},
    {"az-Latn-AZ", "azərbaycan (Azərbaycan)"},
    {"be-BY", "беларуская (Беларусь)"},
    {"bg-BG", "български (България)"},
    {"bn-BD", "বাংলা (বাংলাদেশ)"},
    {"bn-IN", "বাংলা (ভারত)"},
    {"bs-Latn-BA", "bosanski (Bosna i Hercegovina)"},
    {"ca-ES", "català (Espanya)"},
    {"cs-CZ", "čeština (Česko)"},
    {"cy-GB", "Cymraeg (Y Deyrnas Unedig)"},
    {"da-DK", "dansk (Danmark)"},
    {"de-AT", "Deutsch (Österreich)"},
    {"de-CH", "Deutsch (Schweiz)"},
    {"de-DE", "Deutsch (Deutschland)"},
    {"el-GR", "Ελληνικά (Ελλάδα)"},
    {"en-AU", "English (Australia)"},
    {"en-CA", "English (Canada)"},
    {"en-GB", "English (United Kingdom)"},
    {"en-IE", "English (Ireland)"},
    {"en-IN", "English (India)"},
    {"en-NZ", "English (New Zealand)"},
    {"en-SG", "English (Singapore)"},
    {"en-US", "English (United States)"},
    {"en-ZA", "English (South Africa)"},
    {"es-AR", "español (Argentina)"},
    {"es-CL", "español (Chile)"},
    {"es-CO", "español (Colombia)"},
    {"es-ES", "español (España)"},
    {"es-MX", "español (México)"},
    {"es-PE", "español (Perú)"},
    {"et-EE", "eesti (Eesti)"},
    {"eu-ES", "euskara (Espainia)"},
    {"fa-IR", "فارسی (ایران)"},
    {"fi-FI", "suomi (Suomi)"},
    {"fil-PH", "Filipino (Pilipinas)"},
    {"fr-BE", "français (Belgique)"},
    {"fr-CA", "français (Canada)"},
    {"fr-CH", "français (Suisse)"},
    {"fr-FR", "français (France)"},
    {"ga-IE", "Gaeilge (Éire)"},
    {"gl-ES", "galego (España)"},
    {"gu-IN", "ગુજરાતી (ભારત)"},
    {"he-IL", "עברית (ישראל)"},
    {"hi-IN", "हिन्दी (भारत)"},
    {"hr-HR", "hrvatski (Hrvatska)"},
    {"hu-HU", "magyar (Magyarország)"},
    {"hy-AM", "հայերեն (Հայաստան)"},
    {"id-ID", "Indonesia (Indonesia)"},
    {"is-IS", "íslenska (Ísland)"},
    {"it-CH", "italiano (Svizzera)"},
    {"it-IT", "italiano (Italia)"},
    {"ja-JP", "日本語 (日本)"},
    {"ka-GE", "ქართული (საქართველო)"},
    {"kk-KZ", "қазақ тілі (Қазақстан)"},
    {"km-KH", "ខ្មែរ (កម្ពុជា)"},
    {"kn-IN", "ಕನ್ನಡ (ಭಾರತ)"},
    {"ko-KR", "한국어(대한민국)"},
    {"lb-LU", "Lëtzebuergesch (Lëtzebuerg)"},
    {"lo-LA", "ລາວ (ລາວ)"},
    {"lt-LT", "lietuvių (Lietuva)"},
    {"lv-LV", "latviešu (Latvija)"},
    {"mk-MK", "македонски (Северна Македонија)"},
    {"ml-IN", "മലയാളം (ഇന്ത്യ)"},
    {"mr-IN", "मराठी (भारत)"},
    {"ms-MY", "Melayu (Malaysia)"},
    {"mt-MT", "Malti (Malta)"},
    {"nb-NO", "norsk bokmål (Norge)"},
    {"ne-NP", "नेपाली (नेपाल)"},
    {"nl-BE", "Nederlands (België)"},
    {"nl-NL", "Nederlands (Nederland)"},
    {"nn-NO", "nynorsk (Noreg)"},
    {"pa-IN", "ਪੰਜਾਬੀ (ਭਾਰਤ)"},
    {"pl-PL", "polski (Polska)"},
    {"pt-BR", "português (Brasil)"},
    {"pt-PT", "português (Portugal)"},
    {"ro-RO", "română (România)"},
    {"ru-RU", "русский (Россия)"},
    {"sk-SK", "slovenčina (Slovensko)"},
    {"sl-SI", "slovenščina (Slovenija)"},
    {"sq-AL", "shqip (Shqipëri)"},
    {"sr-Cyrl-RS", "српски (Србија)"},
    {"sr-Latn-RS", "srpski (Srbija)"},
    {"sv-FI", "svenska (Finland)"},
    {"sv-SE", "svenska (Sverige)"},
    {"sw-KE", "Kiswahili (Kenya)"},
    {"ta-IN", "தமிழ் (இந்தியா)"},
    {"te-IN", "తెలుగు (భారతదేశం)"},
    {"th-TH", "ไทย (ไทย)"},
    {"tr-TR", "Türkçe (Türkiye)"},
    {"uk-UA", "українська (Україна)"},
    {"ur-PK", "اردو (پاکستان)"},
    {"vi-VN", "Tiếng Việt (Việt Nam)"},
    {"zh-CN", "中文(中国)"},
    {"zh-HK", "中文(香港特別行政區)"},
    {"zh-SG", "中文(新加坡)"},
    {"zh-TW", "中文(台灣)"},
};

const size_t outlook_n_languages = SOSIA_LEN(outlook_languages);

static int by_locale(const void *key, const void *language)
{
    return strcasecmp(key, ((const struct outlook_language *)language)->locale);
}

const struct outlook_language *outlook_language_find(const char *locale)
{
    return bsearch(locale, outlook_languages, outlook_n_languages, sizeof *outlook_languages,
                   by_locale);
}

void outlook_write_language(struct call *c, const struct json *v)
{
    const char *locale = json_get_str(v, "locale"), *name = json_get_str(v, "displayName");
    const struct outlook_language *known = outlook_language_find(locale ? locale : "en-US");
    json_str(c->out, "locale", known ? known->locale : locale);
    json_str(c->out, "displayName", known ? known->name : name ? name : locale);
}
