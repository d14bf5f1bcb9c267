; Which edge of a drawing is convex (+), concave (-) or a border (> on the left, < on the right).
; Every junction begins with all the ways its kind can be labelled; a way for which the junction
; at the other end of an edge has no counterpart is dropped, and that may leave others without.

(deftemplate junction (slot name) (slot kind))
(deftemplate leg (slot junction) (slot place) (slot edge))
(deftemplate edge (slot name) (slot from) (slot to))
(deftemplate possible (slot kind) (slot id) (slot place) (slot label))
(deftemplate way (slot junction) (slot id))
(deftemplate mark (slot junction) (slot id) (slot edge) (slot label))
(deftemplate opposite (slot of) (slot is))
(deftemplate settled (slot junction) (slot id))
(deftemplate labelled (slot edge) (slot label))

(deffacts opposites
  (opposite (of plus) (is plus))
  (opposite (of minus) (is minus))
  (opposite (of out) (is in))
  (opposite (of in) (is out)))

(deffacts junctions
  (possible (kind ell) (id 1) (place 1) (label out)) (possible (kind ell) (id 1) (place 2) (label in))
  (possible (kind ell) (id 2) (place 1) (label in)) (possible (kind ell) (id 2) (place 2) (label out))
  (possible (kind ell) (id 3) (place 1) (label plus)) (possible (kind ell) (id 3) (place 2) (label out))
  (possible (kind ell) (id 4) (place 1) (label in)) (possible (kind ell) (id 4) (place 2) (label plus))
  (possible (kind ell) (id 5) (place 1) (label minus)) (possible (kind ell) (id 5) (place 2) (label in))
  (possible (kind ell) (id 6) (place 1) (label out)) (possible (kind ell) (id 6) (place 2) (label minus))
  (possible (kind fork) (id 1) (place 1) (label plus)) (possible (kind fork) (id 1) (place 2) (label plus))
  (possible (kind fork) (id 1) (place 3) (label plus))
  (possible (kind fork) (id 2) (place 1) (label minus)) (possible (kind fork) (id 2) (place 2) (label minus))
  (possible (kind fork) (id 2) (place 3) (label minus))
  (possible (kind fork) (id 3) (place 1) (label in)) (possible (kind fork) (id 3) (place 2) (label minus))
  (possible (kind fork) (id 3) (place 3) (label out))
  (possible (kind arrow) (id 1) (place 1) (label in)) (possible (kind arrow) (id 1) (place 2) (label plus))
  (possible (kind arrow) (id 1) (place 3) (label out))
  (possible (kind arrow) (id 2) (place 1) (label minus)) (possible (kind arrow) (id 2) (place 2) (label plus))
  (possible (kind arrow) (id 2) (place 3) (label minus))
  (possible (kind arrow) (id 3) (place 1) (label plus)) (possible (kind arrow) (id 3) (place 2) (label minus))
  (possible (kind arrow) (id 3) (place 3) (label plus)))

(defrule begin
  (declare (salience 30))
  (stage label)
  (junction (name ?junction) (kind ?kind))
  (possible (kind ?kind) (id ?id) (place ?place) (label ?label))
  (leg (junction ?junction) (place ?place) (edge ?edge))
  =>
  (assert (way (junction ?junction) (id ?id)))
  (assert (mark (junction ?junction) (id ?id) (edge ?edge) (label ?label))))

(defrule no-counterpart
  (declare (salience 20))
  (edge (name ?edge) (from ?here) (to ?there))
  (mark (junction ?here) (id ?id) (edge ?edge) (label ?label))
  (opposite (of ?label) (is ?other))
  ?way <- (way (junction ?here) (id ?id))
  (not (mark (junction ?there) (edge ?edge) (label ?other)))
  =>
  (retract ?way))

(defrule forget-marks
  (declare (salience 25))
  (stage label)
  ?mark <- (mark (junction ?junction) (id ?id))
  (not (way (junction ?junction) (id ?id)))
  =>
  (retract ?mark))

(defrule only-one-left
  (declare (salience 10))
  (way (junction ?junction) (id ?id))
  (not (way (junction ?junction) (id ~?id)))
  =>
  (assert (settled (junction ?junction) (id ?id))))

(defrule choose
  (stage label)
  (way (junction ?junction) (id ?id))
  ?other <- (way (junction ?junction) (id ~?id))
  =>
  (retract ?other))

(defrule label-edges
  (declare (salience -10))
  (settled (junction ?junction) (id ?id))
  (mark (junction ?junction) (id ?id) (edge ?edge) (label ?label))
  (edge (name ?edge) (from ?junction))
  =>
  (assert (labelled (edge ?edge) (label ?label))))
