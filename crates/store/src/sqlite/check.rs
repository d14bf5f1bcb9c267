//! Damage that the files show: SQLite's own checks, and whether what is derived from events still
//! is. What events say is checked elsewhere, by reading them.

use history::EventId;
use rusqlite::{Connection, OptionalExtension};

use super::read::{hash, id8, indexed, last_position, span};
use super::{ID_BATCH, KIND_BATCH};
use crate::StoreError;

/// Each is a question whose answer must be nothing; the answers say what is wrong.
const QUESTIONS: &[&str] = &[
    "SELECT 'the events do not stand at the positions 1 to ' || max(position) FROM event
     HAVING count(*) > 0 AND (min(position) <> 1 OR max(position) <> count(*))",
    "SELECT 'the event at position ' || position || ' belongs to no stream' FROM event
     WHERE stream NOT IN (SELECT no FROM stream)",
    "SELECT 'the event at position ' || e.position || ' is not where its stream says'
     FROM event e LEFT JOIN place p ON p.stream = e.stream AND p.seq = e.seq
     WHERE (p.position, p.kind, p.link) IS NOT (e.position, e.kind, NULL)",
    "SELECT 'there are ' || events || ' events at ' || places || ' places' FROM
         (SELECT (SELECT count(*) FROM event) AS events, (SELECT count(*) FROM placed) AS places)
     WHERE events <> places",
    "SELECT 'stream ' || stream || ' has a head and no name' FROM head
     WHERE stream NOT IN (SELECT no FROM stream)",
    "SELECT 'the events of `' || name || '` are not those from ' || first || ' to '
         || coalesce(next, 'nothing')
     FROM stream s LEFT JOIN head h ON h.stream = s.no WHERE (next - first, first, next) IS NOT
         (SELECT count(*), min(seq), max(seq) + 1 FROM placed WHERE stream = s.no)",
    "SELECT 'the last link of `' || name || '` is another one'
     FROM stream s LEFT JOIN head h ON h.stream = s.no
     WHERE link IS NOT (SELECT e.link FROM placed p JOIN event e ON e.position = p.position
         WHERE p.stream = s.no AND p.seq = h.next - 1)",
    "SELECT '`' || name || '` does not begin behind its origin' FROM stream s
     WHERE CASE WHEN parent IS NULL THEN fork_seq IS NOT NULL OR first <> 0
         ELSE first IS NOT fork_seq + 1
             OR NOT EXISTS(SELECT 1 FROM placed WHERE stream = s.parent AND seq = s.fork_seq) END",
    "SELECT 'a key of stream ' || stream || ' names events that are not there'
     FROM idempotency i WHERE count < 1 OR NOT EXISTS(SELECT 1 FROM placed p
         WHERE p.stream = i.stream AND p.seq = i.seq + i.count - 1)
         OR NOT EXISTS(SELECT 1 FROM placed p WHERE p.stream = i.stream AND p.seq = i.seq)",
    "SELECT 'who wrote event ' || seq || ' of stream ' || stream || ' is known, and it is not there'
     FROM written w WHERE here NOT IN (0, 1) OR NOT EXISTS(SELECT 1 FROM placed p
         WHERE p.stream = w.stream AND p.seq = w.seq)",
];

/// What is wrong, in words. What cannot even be read is one of these words.
pub(super) fn check(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    let questions = std::iter::once("PRAGMA integrity_check").chain(QUESTIONS.iter().copied());
    for question in questions {
        or_damaged(&mut found, answers(connection, question))?;
    }
    found.retain(|answer| answer != "ok");
    or_damaged(&mut found, indexes(connection))?;
    Ok(found)
}

/// The damage that an answer names, or that stood in its way.
fn or_damaged(
    found: &mut Vec<String>,
    answers: Result<Vec<String>, StoreError>,
) -> Result<(), StoreError> {
    match answers {
        Ok(answers) => found.extend(answers),
        Err(StoreError::Damaged(damage)) => found.push(damage.to_string()),
        Err(other) => return Err(other),
    }
    found.dedup();
    Ok(())
}

fn answers(connection: &Connection, question: &str) -> Result<Vec<String>, StoreError> {
    /// So much damage is told apart; more is as bad.
    const ANSWERS_MAX: usize = 100;
    let mut statement = connection.prepare(question)?;
    let answers = statement.query_and_then([], |row| Ok(row.get(0)?))?;
    answers.take(ANSWERS_MAX).collect()
}

/// Whether the indexes that are filled in batches hold exactly the events that they should.
fn indexes(connection: &Connection) -> Result<Vec<String>, StoreError> {
    // Together, so that nothing is added between the questions.
    let reading = connection.unchecked_transaction()?;
    let last = last_position(&reading)?;
    let [ids_until, kinds_until] = [ID_BATCH, KIND_BATCH].map(|batch| indexed(last, batch));
    let mut found = Vec::new();
    let all = [("event_id", "ids", ids_until), ("event_kind", "kinds", kinds_until)];
    for (table, name, until) in all {
        let count: i64 =
            reading.query_one(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
        if count != until {
            found.push(format!("the index of {name} has {count} rows, not {until}"));
        }
    }
    let mut kinds = reading.prepare(
        "SELECT e.position FROM event e LEFT JOIN event_kind k
             ON k.stream = e.stream AND k.kind = e.kind AND k.seq = e.seq
         WHERE e.position <= ?1 AND k.position IS NOT e.position LIMIT 1",
    )?;
    let lacking = kinds.query_row([kinds_until], |row| row.get::<_, i64>(0)).optional()?;
    found.extend(lacking.map(|position| lacks("kinds", position)));
    let mut events =
        reading.prepare("SELECT id, position FROM event WHERE position <= ?1 ORDER BY position")?;
    let mut ids =
        reading.prepare("SELECT 1 FROM event_id WHERE span = ?1 AND id8 = ?2 AND position = ?3")?;
    let mut rows = events.query([ids_until])?;
    while let Some(row) = rows.next()? {
        let position: i64 = row.get(1)?;
        if !ids.exists([span(position), id8(EventId(hash(row, 0)?)), position])? {
            found.push(lacks("ids", position));
            break;
        }
    }
    Ok(found)
}

fn lacks(name: &str, position: i64) -> String {
    format!("the index of {name} lacks the event at position {position}")
}
