(deffacts start
  (a)
  (b))

(defrule about-a
  (a)
  =>)

(defrule about-a-too
  (a)
  =>)

(defrule about-b
  (b)
  =>)

(defrule at-last
  (declare (salience -10))
  (b)
  =>)
