(defrule count
  ?fact <- (count ?n)
  (test (<> ?n 0))
  =>
  (retract ?fact)
  (assert (count (- ?n 1))))

(defrule launch
  (count 0)
  =>
  (printout t "launch" crlf))
