# SPDX-License-Identifier: Apache-2.0
"""An environment in the shape of Gymnasium: reset(seed=, options=) and step(action), one fork an episode.

    env = SosiaEnv(suite="suites/office.yaml", task="tell-sara")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step({"method": "GET", "path": "/gmail/v1/users/me/labels"})
    env.close()

Actions and observations are objects (episode.py). If gymnasium is installed, SosiaEnv is one of its environments, with text spaces; else
it has the same methods and no spaces.
"""
import json

import episode
from sosia import loops

try:
    import gymnasium
    Base = gymnasium.Env
except ImportError:
    gymnasium, Base = None, object


class SosiaEnv(Base):
    metadata = {"render_modes": ["ansi"]}

    def __init__(self, suite=None, task=None, reward="final", max_steps=50, server=None, render_mode=None):
        """suite: a file, else all of sosia's own; task: one of its tasks, else the seed chooses; server: a Sosia."""
        suites = [loops.Suite(suite)] if suite else loops.own_suites()
        self.server, self.own = server or loops.Sosia.find(), server is None
        self.render_mode, self.task, self.reward = render_mode, task, reward
        self.episode = episode.Episode(self.server, episode.by_name(suites), max_steps=max_steps)
        self.last = None
        if gymnasium:
            printable = "".join(chr(c) for c in range(32, 127)) + "\n"
            self.action_space = gymnasium.spaces.Text(1 << 20, charset=printable)
            self.observation_space = gymnasium.spaces.Text(1 << 24, charset=printable)

    def reset(self, *, seed=None, options=None):
        """options: task, reward, max_steps of the episode."""
        if gymnasium:
            super().reset(seed=seed)
        self.last = self.episode.reset(seed=seed, **{"task": self.task, "reward": self.reward, **(options or {})})
        return self.last, self.episode.state()

    def step(self, action):
        """action: an object, or its JSON. An action that makes no sense costs a step's reward of 0 and is described in info."""
        try:
            action = json.loads(action) if isinstance(action, str) else action
            self.last, reward, done, more = self.episode.step(action)
        except ValueError as e:
            if self.episode.done:
                raise
            return self.last, 0.0, False, False, {**self.episode.state(), "invalid": str(e)}
        finished = done and isinstance(action, dict) and action.get("type") == "finish"
        return self.last, float(reward or 0), finished, done and not finished, {**self.episode.state(), **more}

    def render(self):
        return json.dumps(self.last, indent=1) if self.render_mode == "ansi" else None

    def close(self):
        self.episode.close()
        if self.own:
            self.server.close()
