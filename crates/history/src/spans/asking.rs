//! What is asked of models, tools and people, and what they answer.

use value::{Text, Value};

use super::agents::Agents;
use super::call::{Asked, Chat, Failure};
use super::fold::{Name, Said, Spans};
use super::provider::provider;
use super::{Content, SpanKind, content, names};
use crate::kinds::records::Ref;
use crate::kinds::words::{RunReason, ToolStatus};
use crate::kinds::{
    ModelRequest, ModelResponse, QuestionAnswered, QuestionAsked, RunStarted, ToolCall, ToolResult,
};

impl Spans {
    pub(super) fn started(&mut self, said: &Said<'_>, started: &RunStarted) {
        if let Some(document) = &started.document {
            self.agents = Agents::of(document);
        }
        self.root.is_graph |= started.graph.is_some() || started.document.is_some();
        if !said.is_own {
            return;
        }
        let own = &mut self.root.attributes;
        own.extend(started.graph.clone().map(|graph| (names::GRAPH, graph.into())));
        let reason = started.reason.as_ref().map(RunReason::word);
        own.extend(reason.map(|reason| (names::REASON, names::word(reason))));
        let options = started.options.as_ref();
        if options.and_then(|options| options.get("rehearsal")) == Some(&Value::Bool(true)) {
            own.push((names::REHEARSAL, true.into()));
        }
        if let (Content::Told, Some(inputs)) = (self.content, &started.inputs) {
            let inputs = Value::Map(inputs.clone());
            own.push((names::INPUT_MESSAGES, content::spoken("user", &inputs)));
        }
        if let Some(from) = &started.from {
            self.root.from = Some((from.run_id.clone(), from.seq, from.event_id));
        }
    }

    pub(super) fn model_request(&mut self, said: &Said<'_>, request: &ModelRequest) {
        let model = request.model.as_deref().unwrap_or("unknown");
        let mut attributes = vec![
            (names::OPERATION_NAME, "chat".into()),
            (names::PROVIDER_NAME, provider(model, request.params.as_deref())),
            (names::REQUEST_MODEL, model.into()),
        ];
        attributes.extend(request.params.iter().flat_map(|params| names::params(params)));
        let id = |reference: &Ref| match reference {
            Ref::Event(event) => Some(event.to_string().into()),
            Ref::Node(id) => Some(id.clone()),
            _ => None,
        };
        let inputs: Vec<Text> = request.input_refs.iter().flatten().filter_map(id).collect();
        if self.content == Content::Told {
            let messages = inputs.iter().filter_map(|id| self.messages.get(id));
            let messages = Value::list(messages.map(|said| content::message(said, None)));
            attributes.push((names::INPUT_MESSAGES, content::written(&messages)));
            let agent = said.common.at.as_ref().and_then(|at| self.agents.at.get(at));
            let prompt = agent.and_then(|agent| self.agents.known.get(agent)?.1.as_ref());
            attributes.extend(
                prompt.map(|prompt| (names::SYSTEM_INSTRUCTIONS, content::instructions(prompt))),
            );
            let tools = request.tools_spec.as_ref().map(content::written);
            attributes.extend(tools.map(|tools| (names::TOOL_DEFINITIONS, tools)));
        }
        let correlation = said.common.correlation_id.clone();
        let chat = Chat { inputs, correlation, ..Chat::default() };
        let asked = Asked::Model(Box::new(chat));
        let number = self.asked(said, asked, format!("chat {model}"), attributes);
        self.calls[number].kind = SpanKind::Client;
        let id = request.request_id.clone();
        let id = id.unwrap_or_else(|| said.event.to_string().into());
        self.by_name.insert((Name::Model, id), number);
    }

    pub(super) fn model_response(&mut self, said: &Said<'_>, response: &ModelResponse) {
        let output = response.output_ref.as_ref().and_then(|id| self.messages.get(id)).cloned();
        let told = output.map(|output| content::message(&output, response.finish_reason.as_ref()));
        let Some(call) = self.answered(said, Name::Model, &response.request_id) else { return };
        if let Some(usage) = &response.usage {
            let input = usage.prompt_tokens.map(|tokens| (names::USAGE_INPUT_TOKENS, tokens));
            let output = usage.completion_tokens.map(|tokens| (names::USAGE_OUTPUT_TOKENS, tokens));
            for (name, tokens) in input.into_iter().chain(output) {
                call.set(name, tokens);
            }
        }
        if let Some(reason) = &response.finish_reason {
            call.set(names::RESPONSE_FINISH_REASONS, Value::list([names::word(reason)]));
        }
        if let Some(attempt) = response.attempt {
            call.set(names::ATTEMPT, attempt);
        }
        if let Some(cost) = &response.cost {
            call.set(names::COST, cost.clone());
        }
        if let Some(told) = told {
            call.set(names::OUTPUT_MESSAGES, content::written(&Value::list([told])));
        }
        if let Asked::Model(chat) = &mut call.asked {
            chat.answer = Some(said.event);
            chat.output = response.output_ref.clone();
            chat.attempt = response.attempt;
            // The words of the providers that there are.
            let words = ["tool_use", "tool_calls", "tool_call", "function_call"];
            let reason = response.finish_reason.as_deref();
            chat.wants_tools = reason.is_some_and(|reason| words.contains(&reason));
        }
        call.end(said.common.ts, response.error.as_ref().map(Failure::said));
    }

    pub(super) fn tool_call(&mut self, said: &Said<'_>, call: &ToolCall) {
        let tool = call.tool.as_deref().unwrap_or("unknown");
        let server = call.server.as_deref().unwrap_or("tool");
        // Tools that an agent declares are known by their names alone.
        let name = if server == "tool" { tool.to_owned() } else { format!("{server}.{tool}") };
        let kind = match server {
            "tool" | "logic" => "function",
            "store" | "cache" | "queue" | "memory" | "persona" | "vector_memory" => "datastore",
            _ => "extension",
        };
        let mut attributes = vec![
            (names::OPERATION_NAME, "execute_tool".into()),
            (names::TOOL_NAME, name.as_str().into()),
            (names::TOOL_CALL_ID, call.call_id.clone().into()),
            (names::TOOL_TYPE, kind.into()),
        ];
        let class = call.effect_class.as_deref();
        attributes.extend(class.map(|class| (names::EFFECT_CLASS, names::word(class))));
        if let (Content::Told, Some(args)) = (self.content, &call.args) {
            let args = Value::Map(args.clone());
            attributes.push((names::TOOL_CALL_ARGUMENTS, content::written(&args)));
        }
        let requested_by = call.requested_by.as_ref().map(|by| by.event_id);
        let asked = Asked::Tool { requested_by };
        let number = self.asked(said, asked, format!("execute_tool {name}"), attributes);
        self.by_name.insert((Name::Tool, call.call_id.clone()), number);
    }

    pub(super) fn tool_result(&mut self, said: &Said<'_>, result: &ToolResult) {
        let is_ok = matches!(result.status, Some(ToolStatus::Ok) | None) && result.error.is_none();
        let status = result.status.as_ref().map_or("error", ToolStatus::word);
        let failure = match &result.error {
            _ if is_ok => None,
            Some(error) if error.code.is_some() => Some(Failure::said(error)),
            _ => Some(Failure::of(status)),
        };
        let told = result.result.clone().filter(|_| is_ok && self.content == Content::Told);
        let Some(call) = self.answered(said, Name::Tool, &result.call_id) else { return };
        if let Some(told) = told {
            // Our own engine keeps what a tool gave as `value`.
            let value = told.get("value").filter(|_| told.len() == 1).cloned();
            let value = value.unwrap_or(Value::Map(told));
            call.set(names::TOOL_CALL_RESULT, content::written(&value));
        }
        call.end(said.common.ts, failure);
    }

    pub(super) fn question(&mut self, said: &Said<'_>, asked: &QuestionAsked) {
        let name = match &said.common.at {
            Some(at) => format!("question {at}"),
            None => "question".to_owned(),
        };
        let mut attributes = vec![(names::QUESTION, asked.question_id.clone().into())];
        if let (Content::Told, Some(prompt)) = (self.content, &asked.prompt) {
            attributes.push((names::PROMPT, prompt.clone().into()));
        }
        let number = self.asked(said, Asked::Question { expires: asked.expires }, name, attributes);
        self.by_name.insert((Name::Question, asked.question_id.clone()), number);
    }

    pub(super) fn question_answered(&mut self, said: &Said<'_>, answered: &QuestionAnswered) {
        let is_told = self.content == Content::Told;
        let Some(call) = self.answered(said, Name::Question, &answered.question_id) else { return };
        call.end(said.common.ts, None);
        if is_told {
            let answer = answered.answer.as_ref().map(content::written);
            call.attributes.extend(answer.map(|answer| (names::ANSWER, answer)));
            let actor = answered.actor.clone();
            call.attributes.extend(actor.map(|actor| (names::ACTOR, actor.into())));
        }
    }
}
