//! What stands inside a label: one statement with its guards at a time.

use value::Value;
use value::json::compact;

use super::super::blocks;
use super::{DEPTH_MAX, End, Maker};

impl Maker {
    /// Adds a statement that goes on to whatever comes next.
    pub(super) fn statement(&mut self, lines: &mut Vec<String>, own: &str, depth: usize) {
        let can_nest = depth < DEPTH_MAX && self.left > 0;
        match self.random.below(31) {
            0..=6 => self.computes(lines, depth),
            7 => self.branches_in_place(lines),
            8 | 9 => self.clock(lines),
            10 => {
                let code = *self.random.pick(&[" target=\"boom\"", " target=\"tool\"", ""]);
                self.guarded(lines, depth, format!("R adapter=core.FAIL{code}"), 1);
            }
            11..=13 => self.asks_model(lines, depth),
            14 | 15 => {
                let tool = *self.random.pick(&["search", "send", "$s args=[\"Yes\",\"send\"]"]);
                let input = *self.random.pick(&["", " input=Task", " input=Note"]);
                let line = format!("R adapter=tool.CALL target={tool}{input} out={}", self.any());
                self.guarded(lines, depth, line, 2);
            }
            16 | 17 => self.keeps(lines, depth),
            18 | 19 => self.asks_person(lines, depth),
            20 => {
                let line = match self.random.below(5) {
                    0 => "Enf policy=auth",
                    1 => "Enf policy=role:editor",
                    2 => "Enf policy=open",
                    3 => "Enf policy=strict",
                    _ => "R adapter=http.GET target=\"http://example\"",
                };
                self.guarded(lines, depth, line.to_string(), 2);
            }
            21 if self.random.one_in(3) => lines.push("Join strategy=any".to_string()),
            // It protects what follows.
            21 if depth < DEPTH_MAX && self.random.one_in(2) => {
                let (handler, at) = (self.region("h", DEPTH_MAX, &End::Return), lines.len() + 1);
                lines.push(format!("R adapter=core.NOOP next>n{}", at + 1));
                lines.push(format!("Err handler>@{handler}"));
                lines.push("R adapter=core.NOOP".to_string());
            }
            21 => {
                let code = Value::text(*self.random.pick(&blocks::CODES));
                let line = format!("R adapter=logic.PYTHON target={} out=_early", compact(&code));
                self.guarded(lines, depth, line, 2);
            }
            22 | 23 if can_nest => {
                let callee = self.region("f", depth + 1, &End::Return);
                let out = if self.random.one_in(2) { " out=r1" } else { "" };
                self.guarded(lines, depth, format!("Call label=@{callee}{out}"), 3);
            }
            24 if can_nest => self.recurses(lines, own, depth),
            25 | 26 if can_nest => self.loops(lines, depth),
            27..=29 if can_nest => self.forks(lines, depth),
            30 if can_nest => self.risks(lines, depth),
            _ => self.computes(lines, depth),
        }
    }

    fn number(&mut self) -> String {
        match self.random.one_in(2) {
            true => self.random.below(5).to_string(),
            false => format!("${}", self.random.pick(&["a", "b", "c", "d"])),
        }
    }

    fn any(&mut self) -> &'static str {
        ["r1", "r2", "r3"][self.random.below(3)]
    }

    fn computes(&mut self, lines: &mut Vec<String>, depth: usize) {
        let (left, right) = (self.number(), self.number());
        let to = *self.random.pick(&["a", "b", "c", "d"]);
        let line = match self.random.below(17) {
            0 => format!("Set name={to} ref={left}"),
            1 => format!("Set name=s ref={}", self.random.pick(&["\"yes\"", "\"no\"", "$t"])),
            2 => format!("Set name=items ref={}", self.random.pick(&["[]", "[3]", "[1,2,3]"])),
            3 => format!("Set name=o ref={{\"ox\":{}}}", self.random.below(4)),
            4 => format!("X dst={to} fn=add args=[{left}, {right}]"),
            5 => format!("X dst={to} fn=sub args=[{left}, 1]"),
            6 => format!("R adapter=core.MUL target={left} args=[2] out={to}"),
            7 => format!("X dst=r1 fn=eq args=[{left}, {right}]"),
            8 => format!("X dst=r1 fn=lt args=[{left}, {right}]"),
            9 => "R adapter=core.CONCAT target=\"x-\" args=[$t] out=s".to_string(),
            10 => format!("X dst={to} fn=len args=[$items]"),
            11 => "X dst=r2 fn=get args=[$o, \"ox\"]".to_string(),
            12 => format!("X dst=bag fn=push args=[$bag, {left}]"),
            13 => format!("Filt name=rows ref=$rows field=n cmp=> value={left}"),
            14 => "Sort name=rows ref=$rows field=n order=desc".to_string(),
            15 => "Sort name=rows ref=$rows field=s".to_string(),
            _ => {
                let names = ["it", "_call_result", "_loop_last", "_while_last"];
                format!("Set name={} ref=${}", self.any(), self.random.pick(&names))
            }
        };
        self.guarded(lines, depth, line, 12);
    }

    /// A condition that skips one node.
    fn branches_in_place(&mut self, lines: &mut Vec<String>) {
        let (cond, at) = (self.condition(), lines.len() + 1);
        lines.push(format!("If cond=\"{cond}\" then>n{} else>n{}", at + 1, at + 2));
        lines.push(format!("Set name=a ref={}", self.random.below(5)));
    }

    fn clock(&mut self, lines: &mut Vec<String>) {
        lines.push(match self.random.below(5) {
            0 => "R adapter=core.NOW out=_now".to_string(),
            1 => "R adapter=core.ISO out=_iso".to_string(),
            2 => "R adapter=core.UUID out=_uuid".to_string(),
            _ => format!("R adapter=core.SLEEP target={}", self.random.between(1, 30)),
        });
    }

    fn asks_model(&mut self, lines: &mut Vec<String>, depth: usize) {
        let agent = *self.random.pick(&["writer", "judge"]);
        let input = *self.random.pick(&["", " input=Task", " input=Note"]);
        let output = *self.random.pick(&["", " output=ModelReply", " output=Plan"]);
        let out = self.any();
        let line = format!("R adapter=agent.INVOKE target={agent}{input}{output} out={out}");
        self.guarded(lines, depth, line, 2);
    }

    fn keeps(&mut self, lines: &mut Vec<String>, depth: usize) {
        let (out, value) = (self.any(), self.number());
        if self.random.one_in(6) {
            let line = match self.random.one_in(2) {
                true => "R adapter=store.WRITE target=archive input=Note".to_string(),
                false => format!("R adapter=store.READ target=archive args=[\"a\"] out={out}"),
            };
            return self.guarded(lines, depth, line, 2);
        }
        if self.random.one_in(4) {
            let line = match self.random.below(6) {
                0 => format!("CacheSet name=memo key={value} value=$s"),
                1 => format!("CacheGet name=memo key={value} out={out} fallback=\"none\""),
                2 => format!("R adapter=cache.get target=memo args=[{value}] out={out}"),
                3 => "QueuePut queue=outbox value=$a".to_string(),
                4 => format!("R adapter=queue.get target=outbox out={out}"),
                _ => format!("R adapter=queue.len target=outbox out={out}"),
            };
            return self.guarded(lines, depth, line, 2);
        }
        lines.push(match self.random.below(6) {
            0 => "R adapter=store.WRITE target=notes input=Note".to_string(),
            1 => format!("R adapter=store.READ target=notes args=[\"a\"] out={out}"),
            2 => "R adapter=store.WRITE target=jobs input=Note".to_string(),
            3 => format!("R adapter=store.READ target=jobs out={out}"),
            4 => "R adapter=channel.PUBLISH target=news input=Note".to_string(),
            _ => format!("R adapter=channel.RECEIVE target=news out={out}"),
        });
    }

    fn asks_person(&mut self, lines: &mut Vec<String>, depth: usize) {
        let mut line = "Ask prompt=\"shall we?\" out=s".to_string();
        if self.random.one_in(2) {
            line.push_str(" options=[\"yes\",\"no\"]");
        }
        if self.random.one_in(2) {
            line.push_str(&format!(" expires={}", self.random.between(5, 40)));
            match self.random.below(3) {
                0 => line.push_str(" default=\"later\""),
                1 => {
                    let late = self.region("x", DEPTH_MAX, &End::Return);
                    line.push_str(&format!(" expired>@{late}"));
                }
                _ => {}
            }
        }
        self.guarded(lines, depth, line, 3);
    }

    /// A label that calls itself, with a counter or until the depth is met.
    fn recurses(&mut self, lines: &mut Vec<String>, own: &str, depth: usize) {
        if depth > 0 && self.random.one_in(4) {
            return self.guarded(lines, depth, format!("Call label=@{own}"), 2);
        }
        let (name, counter) = (self.name("rec"), self.counter());
        let body = vec![
            format!("X dst={counter} fn=add args=[${counter}, 1]"),
            format!("If cond=\"{counter} < {}\" then>n3 else>n4", self.random.between(2, 20)),
            format!("Call label=@{name} out={counter}"),
            format!("J var=${counter}"),
        ];
        self.labels.push((name.clone(), body));
        self.guarded(lines, depth, format!("Call label=@{name} out=r1"), 2);
    }

    fn loops(&mut self, lines: &mut Vec<String>, depth: usize) {
        let body = self.region("l", depth + 1, &End::Return);
        if self.random.one_in(2) {
            let over = *self.random.pick(&["$items", "$items", "$rows", "$o", "$nothing", "$a"]);
            let line = format!("Loop ref={over} item=it body>@{body}");
            return self.guarded_loop(lines, depth, line);
        }
        let counter = self.counter();
        // The first statement of the body counts, so that the loop ends by itself or at its limit.
        let (head, turns) = (self.name("w"), self.random.between(0, 4));
        self.labels.push((
            head.clone(),
            vec![
                format!("X dst={counter} fn=add args=[${counter}, 1]"),
                format!("Call label=@{body}"),
                format!("J var=${counter}"),
            ],
        ));
        let limit = match self.random.below(3) {
            0 => " limit=2",
            1 => " limit=5",
            _ => "",
        };
        let looks = match self.random.one_in(4) {
            true => format!(" and (_while_last is null or _while_last < {turns})"),
            false => String::new(),
        };
        let line = format!("While cond=\"{counter} < {turns}{looks}\"{limit} body>@{head}");
        self.guarded_loop(lines, depth, line);
    }

    fn forks(&mut self, lines: &mut Vec<String>, depth: usize) {
        // Branches end by themselves here: they cannot reach a join inside another label.
        let fork = self.fork_line(depth, &End::Return);
        let at = lines.len() + 1;
        let handler = self.random.one_in(2).then(|| self.region("h", DEPTH_MAX, &End::Return));
        let join = self.join();
        match handler {
            Some(handler) => {
                lines.push(format!("{fork} err>n{} next>n{}", at + 2, at + 1));
                lines.push(format!("{join} err>n{}", at + 2));
                lines.push(format!("Err handler>@{handler}"));
            }
            None => {
                lines.push(format!("{fork} next>n{}", at + 1));
                lines.push(join);
            }
        }
    }

    /// Branches that call tools, and a `Retry` around all of them: what they leave in doubt comes
    /// to it through the join.
    fn risks(&mut self, lines: &mut Vec<String>, depth: usize) {
        let (name, mut fork) = (self.name("f"), "Fork".to_string());
        for _ in 0..self.random.between(1, 3) {
            let branch = self.name("b");
            let mut body = Vec::new();
            if self.random.one_in(3) {
                self.clock(&mut body);
            }
            let tool = *self.random.pick(&["search", "send"]);
            let line = format!("R adapter=tool.CALL target={tool} out={}", self.any());
            self.guarded(&mut body, depth, line, 3);
            body.push("J".to_string());
            self.labels.push((branch.clone(), body));
            fork.push_str(&format!(" branch>@{branch}"));
        }
        let join = self.join();
        self.labels.push((name.clone(), vec![format!("{fork} next>n2"), join, "J".to_string()]));
        let retry = self.retry();
        lines.push(format!("Call label=@{name} retry>n{}", lines.len() + 2));
        lines.push(retry);
    }

    /// A node with its guards, of which there are some one time in so many.
    fn guarded(&mut self, lines: &mut Vec<String>, depth: usize, mut line: String, one_in: usize) {
        let at = lines.len() + 1;
        let mut guards = self.guards(&mut line, at, depth, one_in);
        // Control passes them, or goes by.
        if !guards.is_empty() && self.random.one_in(2) {
            line.push_str(&format!(" next>n{}", at + 1));
            let last = guards.len() - 1;
            for (place, guard) in guards.iter_mut().enumerate().take(last) {
                guard.push_str(&format!(" next>n{}", at + place + 2));
            }
        }
        lines.push(line);
        lines.extend(guards);
    }

    /// The same for a loop, which goes on by `after` to what follows its guards.
    fn guarded_loop(&mut self, lines: &mut Vec<String>, depth: usize, mut line: String) {
        let at = lines.len() + 1;
        let guards = self.guards(&mut line, at, depth, 2);
        let passes = self.random.one_in(2);
        line.push_str(&format!(" after>n{}", at + 1 + if passes { 0 } else { guards.len() }));
        lines.push(line);
        lines.extend(guards);
    }

    /// Leads from the node at this place to guards behind it, and gives these.
    fn guards(&mut self, line: &mut String, at: usize, depth: usize, one_in: usize) -> Vec<String> {
        let mut guards = Vec::new();
        if !self.random.one_in(one_in) {
            return guards;
        }
        let retries = self.random.one_in(2);
        let handles = !retries || self.random.one_in(2);
        let handler = handles.then(|| self.region("h", (depth + 2).min(DEPTH_MAX), &End::Return));
        let err = handler.map(|handler| format!("Err handler>@{handler}"));
        let retry = retries.then(|| self.retry());
        match (retry, err) {
            (Some(mut retry), Some(mut err)) => {
                let (first, second) = (format!("n{}", at + 1), format!("n{}", at + 2));
                // The second guard is the node's own, or that of the first.
                let is_own = self.random.one_in(2);
                if self.random.one_in(2) {
                    line.push_str(&format!(" retry>{first}"));
                    let protects = if is_own { line } else { &mut retry };
                    protects.push_str(&format!(" err>{second}"));
                    guards.extend([retry, err]);
                } else {
                    line.push_str(&format!(" err>{first}"));
                    let protects = if is_own { line } else { &mut err };
                    protects.push_str(&format!(" retry>{second}"));
                    guards.extend([err, retry]);
                }
            }
            (Some(retry), None) => {
                line.push_str(&format!(" retry>n{}", at + 1));
                guards.push(retry);
            }
            (None, err) => {
                line.push_str(&format!(" err>n{}", at + 1));
                guards.extend(err);
            }
        }
        guards
    }

    fn retry(&mut self) -> String {
        let mut line = "Retry".to_string();
        if self.random.one_in(2) {
            line.push_str(&format!(" count={}", self.random.between(0, 2)));
        }
        if self.random.one_in(2) {
            line.push_str(&format!(" backoff_ms={}", self.random.between(1, 9)));
            let strategy = *self.random.pick(&["fixed", "linear", "exponential"]);
            line.push_str(&format!(" backoff_strategy={strategy}"));
            if self.random.one_in(3) {
                line.push_str(" backoff_max_ms=10");
            }
        }
        if self.random.one_in(3) {
            line.push_str(" errors=[\"tool\",\"schema\",\"boom\"]");
        }
        line
    }
}
