//! Places in a graph document, as pointers into the text it was read from.

use std::fmt::Display;

use value::Pointer;

use crate::model::{Edge, Node};

/// `/labels/ID`.
pub fn label(id: &str) -> Pointer {
    Pointer::root().child("labels").child(id)
}

/// A member of a label.
pub fn of_label(id: &str, member: impl Display) -> Pointer {
    label(id).child(member)
}

/// A member of a node.
pub fn of_node(label_id: &str, of: &Node, member: impl Display) -> Pointer {
    if of.is_step {
        return label(label_id).child("legacy").child("steps").child(of.at).child(member);
    }
    label(label_id).child("nodes").child(of.at).child(member)
}

/// A member of a node's `data`. A step is all data.
pub fn of_data(label_id: &str, of: &Node, member: impl Display) -> Pointer {
    if of.is_step {
        of_node(label_id, of, member)
    } else {
        of_node(label_id, of, "data").child(member)
    }
}

/// A member of an edge.
pub fn of_edge(label_id: &str, of: &Edge, member: impl Display) -> Pointer {
    label(label_id).child("edges").child(of.at).child(member)
}
