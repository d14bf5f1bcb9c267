//! Damage that the files show: SQLite's own checks, and whether what is derived from events still
//! is. What events say is checked elsewhere, by reading them.

use history::EventId;
use rusqlite::Connection;

use super::read::{hash, id8, indexed, last_position, span};
use crate::StoreError;

/// Each is a question whose answer must be nothing; the answers say what is wrong.
const QUESTIONS: &[&str] = &[
    "SELECT 'the events do not stand at the positions 1 to ' || max(position) FROM event
     HAVING count(*) > 0 AND (min(position) <> 1 OR max(position) <> count(*))",
    "SELECT 'the event at position ' || position || ' belongs to no stream' FROM event
     WHERE stream NOT IN (SELECT no FROM stream)",
    "SELECT 'the events of `' || name || '` are not those from ' || first || ' to ' || next
     FROM stream s WHERE (next - first, first, next) IS NOT
         (SELECT count(*), min(seq), max(seq) + 1 FROM event WHERE stream = s.no)",
    "SELECT 'the last link of `' || name || '` is another one' FROM stream s
     WHERE link IS NOT (SELECT link FROM event WHERE stream = s.no AND seq = s.next - 1)",
    "SELECT '`' || name || '` does not begin behind its origin' FROM stream s
     WHERE CASE WHEN parent IS NULL THEN fork_seq IS NOT NULL OR first <> 0
         ELSE first IS NOT fork_seq + 1
             OR NOT EXISTS(SELECT 1 FROM event WHERE stream = s.parent AND seq = s.fork_seq) END",
    "SELECT 'a key of stream ' || stream || ' names events that are not there'
     FROM idempotency i WHERE count < 1 OR NOT EXISTS(SELECT 1 FROM event e
         WHERE e.stream = i.stream AND e.seq = i.seq + i.count - 1)
         OR NOT EXISTS(SELECT 1 FROM event e WHERE e.stream = i.stream AND e.seq = i.seq)",
];

/// What is wrong, in words. What cannot even be read is one of these words.
pub(super) fn check(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    let questions = std::iter::once("PRAGMA integrity_check").chain(QUESTIONS.iter().copied());
    for question in questions {
        or_damaged(&mut found, answers(connection, question))?;
    }
    found.retain(|answer| answer != "ok");
    or_damaged(&mut found, ids(connection))?;
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

/// Whether the index of ids holds exactly the ids that it should.
fn ids(connection: &Connection) -> Result<Vec<String>, StoreError> {
    // Together, so that nothing is added between the questions.
    let reading = connection.unchecked_transaction()?;
    let until = indexed(last_position(&reading)?);
    let count: i64 = reading.query_one("SELECT count(*) FROM event_id", [], |row| row.get(0))?;
    let mut found = Vec::new();
    if count != until {
        found.push(format!("the index of ids has {count} rows, not {until}"));
    }
    let mut events =
        reading.prepare("SELECT id, position FROM event WHERE position <= ?1 ORDER BY position")?;
    let mut index =
        reading.prepare("SELECT 1 FROM event_id WHERE span = ?1 AND id8 = ?2 AND position = ?3")?;
    let mut rows = events.query([until])?;
    while let Some(row) = rows.next()? {
        let position: i64 = row.get(1)?;
        if !index.exists([span(position), id8(EventId(hash(row, 0)?)), position])? {
            found.push(format!("the index of ids lacks the event at position {position}"));
            break;
        }
    }
    Ok(found)
}
