# SPDX-License-Identifier: Apache-2.0
"""tools/check_words finds a vendor's word in the command and in conformance/, where its allow file has none."""
import importlib.machinery, importlib.util, os, unittest

TOOL = os.path.join(os.environ["SOSIA_ROOT"], "tools/check_words")
loader = importlib.machinery.SourceFileLoader("check_words", TOOL)
check_words = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_words", loader))
loader.exec_module(check_words)


class CheckWords(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.words, cls.let = check_words.find_words(), check_words.allowed()[0]

    def test_the_tree(self):
        self.assertEqual(check_words.check_words(*self.words, self.let), [])

    def test_what_the_allow_file_lets(self):
        wrong = check_words.check_words(*self.words, {})
        self.assertEqual({line.split(":")[0] for line in wrong}, set(self.let))
        self.assertIn('cli/examples.h:6: a vendor\'s word: #define EXAMPLE_HOST    "www.googleapis.com"', wrong)

    def test_a_file_that_became_better(self):
        self.assertEqual(check_words.check_words(*self.words, {**self.let, "cli/act.c": 1}),
                         ["tools/check_words.allow: cli/act.c has 0 such lines by now, not 1"])
        self.assertEqual(check_words.check_words(*self.words, {**self.let, "engine/open.c": 1}),
                         ["tools/check_words.allow: engine/open.c must be a file of a core, of cli/ or of conformance/"])

    def test_words(self):
        for word in ("Slack's", "gmail", "https://graph.microsoft.com", "OneDrive", "X-Goog-Signature"):
            self.assertTrue(check_words.WORDS.search(word), word)


if __name__ == "__main__":
    unittest.main()
