; Four kinds of facts joined in a ring, with a comparison that only the last join can make.

(deftemplate north (slot a) (slot b) (slot cost))
(deftemplate east (slot a) (slot b) (slot cost))
(deftemplate south (slot a) (slot b) (slot cost))
(deftemplate west (slot a) (slot b) (slot cost))

(defrule ring
  (north (a ?p) (b ?q) (cost ?one))
  (east (a ?q) (b ?r) (cost ?two))
  (south (a ?r) (b ?s) (cost ?three))
  (west (a ?s) (b ?p) (cost ?four))
  (test (< (+ ?one ?two) (+ ?three ?four)))
  =>
  (assert (found ?p ?q ?r ?s)))
