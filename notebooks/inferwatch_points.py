"""Points of Inferwatch for notebooks: InfluxQL in, pandas out; readings of `inferwatch report`; axes that name their unit.

Settings come from the environment, so that a notebook runs as it is on any fleet:

INFERWATCH_INFLUXDB_URL       default http://127.0.0.1:8086
INFERWATCH_INFLUXDB_DATABASE  default inferwatch
INFERWATCH_INFLUXDB_TOKEN     of InfluxDB 2 or 3; left out when empty
INFERWATCH_PERIOD             how far back to look, e.g. 3h; default 3h
INFERWATCH_COMMAND            how `inferwatch` is called; default ../inferwatch
"""

import json
import os
import shlex
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import matplotlib.pyplot as plt
import pandas as pd

URL = os.environ.get("INFERWATCH_INFLUXDB_URL", "http://127.0.0.1:8086").rstrip("/")
DATABASE = os.environ.get("INFERWATCH_INFLUXDB_DATABASE", "inferwatch")
PERIOD = os.environ.get("INFERWATCH_PERIOD", "3h")
SINCE = f"time > now() - {PERIOD}"

_COMMAND = shlex.split(os.environ.get("INFERWATCH_COMMAND", "../inferwatch"))


class PointsError(Exception):
    """InfluxDB or `inferwatch report` did not answer, or refused the question."""


def query(influxql):
    """The answer as one frame: tags and fields as columns, `time` in UTC. Empty, with no columns, when nothing is stored."""
    parameters = urllib.parse.urlencode({"db": DATABASE, "q": influxql})
    request = urllib.request.Request(f"{URL}/query?{parameters}")
    token = os.environ.get("INFERWATCH_INFLUXDB_TOKEN", "")
    if token:
        request.add_header("Authorization", f"Token {token}")
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            results = json.load(response)["results"]
    except urllib.error.HTTPError as error:
        raise PointsError(f"{URL}: {error.code}: {error.read().decode(errors='replace')}") from error
    except OSError as error:
        raise PointsError(f"{URL} does not answer ({error}); INFERWATCH_INFLUXDB_URL says where InfluxDB is") from error
    frames = []
    for result in results:
        if "error" in result:
            raise PointsError(f"{influxql}: {result['error']}")
        for series in result.get("series", []):
            frame = pd.DataFrame(series["values"], columns=series["columns"])
            for tag, value in series.get("tags", {}).items():
                frame.insert(0, tag, value)
            frames.append(frame)
    if not frames:
        return pd.DataFrame()
    answer = pd.concat(frames, ignore_index=True)
    if "time" in answer:
        answer["time"] = pd.to_datetime(answer["time"], utc=True)
    return answer


def report(*arguments):
    """What `inferwatch report ARGUMENTS -o json` prints, of the same InfluxDB and period; None when there is no data."""
    command = [*_COMMAND, "report", *arguments, "--from", f"-{PERIOD}", "--influxdb-url", URL,
               "--influxdb-database", DATABASE, "-o", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 1 and not done.stdout.strip():
        return None
    if done.returncode not in (0, 1):
        raise PointsError(f"{shlex.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def axes(title, x, y, size=(9, 3.2)):
    """Empty axes. `x` and `y` name the quantity and its unit, e.g. 'TTFT (s)'."""
    _, made = plt.subplots(figsize=size, layout="constrained")
    made.set_title(title)
    made.set_xlabel(x)
    made.set_ylabel(y)
    made.spines[["top", "right"]].set_visible(False)
    return made
