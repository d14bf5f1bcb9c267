; Everything that can be reached: a fact for each pair, each found once.

(deftemplate road (slot from) (slot to))
(deftemplate reach (slot from) (slot to))

(defrule near
  (road (from ?a) (to ?b))
  =>
  (assert (reach (from ?a) (to ?b))))

(defrule far
  (reach (from ?a) (to ?b))
  (road (from ?b) (to ?c))
  (not (reach (from ?a) (to ?c)))
  =>
  (assert (reach (from ?a) (to ?c))))
