(defrule nobody-yet
  (not (guest ?))
  =>
  (printout t "nobody is invited" crlf))

(defrule somebody
  (exists (guest ?))
  =>
  (printout t "somebody is invited" crlf))

(defrule everybody-answered
  (exists (guest ?))
  (forall (guest ?who)
          (answered ?who))
  =>
  (printout t "everybody has answered" crlf))
