(deftemplate order
  (slot id (type SYMBOL))
  (slot amount (type NUMBER) (range 0 ?VARIABLE))
  (slot state (type SYMBOL) (allowed-symbols new paid refused) (default new))
  (multislot items))

(defrule accept
  ?order <- (order (id ?id) (amount ?amount&:(<= ?amount 100)) (state new))
  =>
  (printout t ?id " is paid" crlf)
  (modify ?order (state paid)))

(defrule ask-first
  (order (id ?id) (amount ?amount&:(> ?amount 100)) (state new))
  =>
  (assert (ask boss ?id)))

(defrule refuse
  ?order <- (order (id ?id) (state new))
  ?answer <- (answer ?id no)
  =>
  (retract ?answer)
  (modify ?order (state refused)))

(defrule wrap-gifts
  (order (id ?id) (state paid) (items $? gift $?))
  =>
  (assert (wrap ?id)))
