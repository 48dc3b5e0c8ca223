# SPDX-License-Identifier: Apache-2.0
pytest_plugins = ["sosia.pytest_plugin", "pytester"]
