; Guests sit around a table: neighbours are of different sexes and share a hobby.
; The search goes one seat further at a time and backs up where nobody fits.

(deftemplate guest (slot name) (slot sex) (slot hobby))
(deftemplate seats (slot count))
(deftemplate phase (slot is))
(deftemplate counter (slot next))
(deftemplate placed
  (slot id) (slot before) (slot seat) (slot left) (slot right) (slot complete))
(deftemplate way (slot id) (slot name) (slot seat))
(deftemplate used (slot id) (slot name) (slot hobby))

(defrule first-guest
  ?phase <- (phase (is start))
  (guest (name ?name))
  ?counter <- (counter (next ?id))
  =>
  (assert (placed (id ?id) (before 0) (seat 1) (left ?name) (right ?name) (complete yes)))
  (assert (way (id ?id) (name ?name) (seat 1)))
  (modify ?counter (next (+ ?id 1)))
  (modify ?phase (is seating)))

(defrule next-guest
  ?phase <- (phase (is seating))
  (placed (id ?id) (before ?before) (seat ?seat) (right ?neighbour) (complete yes))
  (guest (name ?neighbour) (sex ?sex) (hobby ?hobby))
  (guest (name ?name) (sex ~?sex) (hobby ?hobby))
  ?counter <- (counter (next ?next))
  (not (way (id ?id) (name ?name)))
  (not (used (id ?id) (name ?name) (hobby ?hobby)))
  =>
  (assert (placed (id ?next) (before ?id) (seat (+ ?seat 1))
                  (left ?neighbour) (right ?name) (complete no)))
  (assert (way (id ?next) (name ?name) (seat (+ ?seat 1))))
  (assert (used (id ?id) (name ?name) (hobby ?hobby)))
  (modify ?counter (next (+ ?next 1)))
  (modify ?phase (is copying)))

(defrule copy-way
  (declare (salience 10))
  (phase (is copying))
  (placed (id ?id) (before ?before) (complete no))
  (way (id ?before) (name ?name) (seat ?seat))
  (not (way (id ?id) (name ?name)))
  =>
  (assert (way (id ?id) (name ?name) (seat ?seat))))

(defrule way-is-complete
  ?phase <- (phase (is copying))
  ?placed <- (placed (complete no))
  =>
  (modify ?placed (complete yes))
  (modify ?phase (is looking)))

(defrule all-sit
  (declare (salience 5))
  ?phase <- (phase (is looking))
  (seats (count ?count))
  (placed (seat ?count))
  =>
  (modify ?phase (is done)))

(defrule go-on
  ?phase <- (phase (is looking))
  =>
  (modify ?phase (is seating)))

(defrule tell
  (phase (is done))
  (seats (count ?count))
  (placed (id ?id) (seat ?count))
  (way (id ?id) (name ?name) (seat ?seat))
  =>
  (assert (sits ?name ?seat)))
