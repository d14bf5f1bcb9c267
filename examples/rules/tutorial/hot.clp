(defrule hot
  (temperature ?t&:(> ?t 30))
  =>
  (printout t ?t " degrees: the fan goes on" crlf)
  (assert (fan on)))
