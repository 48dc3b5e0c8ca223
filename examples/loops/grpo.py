#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A loop of group-relative policy optimisation: 64 forks of one task, all rolled out, graded and reset in one call, again and again.

The policy stands for a model and needs none: for each step it has a preference for each of the actions that it may take (the task's
reference actions, the same ones spoiled, and the end), and takes one by chance. Rewards above their group's mean make what was taken more
likely. All chance comes from --seed, so that two runs print the same.

    ./grpo.py --suite ../../suites/mail.yaml --task monday-triage
"""
import argparse
import concurrent.futures
import json
import math
import os
import random
import statistics
import sys
import time

from sosia import loops


class Policy:
    """Preferences by step; what was done already is not done again."""

    def __init__(self, actions, steps, rate):
        self.actions, self.rate = actions, rate
        self.preference = [[0.0] * (len(actions) + 1) for _ in range(steps)]  # the last one: it is done

    def chances(self, step, done):
        weights = [0.0 if k in done else math.exp(p) for k, p in enumerate(self.preference[step])]
        whole = sum(weights)
        return [w / whole for w in weights]

    def sample(self, chance):
        """A list of (step, choice, chances); the rollout's plan."""
        plan, done = [], set()
        for step in range(len(self.preference)):
            chances = self.chances(step, done)
            choice = chance.choices(range(len(chances)), chances)[0]
            plan.append((step, choice, chances))
            if choice == len(self.actions):
                break
            done.add(choice)
        return plan

    def learn(self, plans, rewards):
        """The gradient of the choices' logarithms by advantages within the group."""
        mean, spread = statistics.fmean(rewards), statistics.pstdev(rewards)
        if spread == 0:
            return
        for plan, reward in zip(plans, rewards):
            advantage = (reward - mean) / spread
            for step, choice, chances in plan:
                for k, p in enumerate(chances):
                    self.preference[step][k] += self.rate * advantage * ((k == choice) - p) / len(plans)


def spoiled(action):
    """The action with another word in its body, as somebody would who is not careful."""
    text = json.dumps(action.get("body"))
    for right, wrong in (("INBOX", "UNREAD"), ("true", "false"), ("2026-11-2", "2026-12-2"), ("SPAM", "STARRED")):
        if right in text:
            return {**action, "body": json.loads(text.replace(right, wrong))}
    return None


def roll_out(world, actions, plan):
    done = [actions[choice] for _, choice, _ in plan if choice < len(actions)]
    loops.perform_all(world, done, {})
    return len(done)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description="A loop of group-relative policy optimisation over forks of one task")
    p.add_argument("--suite", default=os.path.join(here, "../../suites/mail.yaml"))
    p.add_argument("--task", default="monday-triage")
    p.add_argument("--forks", type=int, default=64)
    p.add_argument("--iterations", type=int, default=30)
    p.add_argument("--rate", type=float, default=4.0)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=8)
    o = p.parse_args()
    task = loops.Suite(o.suite).task(o.task)
    actions = [a for r in task.reference for a in (r, spoiled(r)) if a]
    policy, chance = Policy(actions, len(task.reference) + 1, o.rate), random.Random(o.seed)
    began, calls, means = time.monotonic(), 0, []
    with loops.Sosia.find() as server, concurrent.futures.ThreadPoolExecutor(o.threads) as pool:
        group = server.fork_many(task.base(server, {}), task.actor, o.forks)
        keys = [w.key for w in group]
        for i in range(o.iterations):
            plans = [policy.sample(chance) for _ in group]
            calls += sum(pool.map(lambda pair: roll_out(pair[0], actions, pair[1]), zip(group, plans)))
            results = server.grade(task.suite.text, task.id, keys, then="reset")
            rewards = [r["reward"] for r in results]
            policy.learn(plans, rewards)
            means.append(statistics.fmean(rewards))
            print("%3d  mean %.3f  best %.3f  passed %d of %d" %
                  (i + 1, means[-1], max(rewards), sum(r["passed"] for r in results), len(results)), flush=True)
        server.drop(keys)
    print("%d calls in %.1f s" % (calls, time.monotonic() - began), file=sys.stderr)


if __name__ == "__main__":
    main()
